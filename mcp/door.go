package mcp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"portico/auth"
	"portico/graph"
	"portico/internal/cors"
	"portico/internal/semaphore"
	"portico/limit"
	"portico/model"
)

// noStore is the Cache-Control of every answer.
const noStore = "no-store"

// defaultMaxBody is room for a text file of some megabytes, escaped as JSON.
const defaultMaxBody = 8 << 20

// Options says what the door opens on. Resolver, Keys, BaseURL and Logger must be
// set.
type Options struct {
	// Resolver carries the operations out.
	Resolver *graph.Resolver
	// Keys finds the account that a request speaks for, before anything else is read.
	Keys *auth.Keys
	// Limiter counts the tools in the scopes of the endpoints that they equal;
	// nil counts nothing.
	Limiter *limit.Limiter
	// BaseURL is the public address of the server, without a final slash; a
	// refused request is pointed at the OAuth metadata below it.
	BaseURL string
	// Logger gets the errors that are ours, once each.
	Logger *slog.Logger
	// Version is what the server says of itself; empty is "dev".
	Version string
	// MaxBody is the largest request body in bytes; 0 is 8 MiB. It bounds what
	// upload_text_file can take.
	MaxBody int64
	// TempDir is where downloads of unknown length wait until their end is
	// reached; empty is os.TempDir. It needs room for a few of the largest
	// files, so it should not be in memory.
	TempDir string
	// Stopping ends when the server is about to stop: calls that wait for a job
	// answer with how far it is, instead of being cut off. Nil never ends.
	Stopping context.Context
}

// door is the door. Its fields are set once.
type door struct {
	Options
	fetcher *fetcher
	// The maximum waits for a job: of a call that reports its progress, and of one
	// that does not, which clients give up after a minute.
	longWait, shortWait time.Duration
	downloads, waits    *semaphore.Keyed

	plain  http.Handler // answers one JSON document
	stream http.Handler // answers events, of which the last is the result
}

// New returns the handler of the MCP endpoint. It reads the whole path of the
// request: mount it at /v1/mcp and /api/v1/mcp without stripping the prefix.
func New(o Options) http.Handler { return newDoor(o).handler() }

func newDoor(o Options) *door {
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	o.MaxBody = cmp.Or(o.MaxBody, defaultMaxBody)
	o.Stopping = cmp.Or(o.Stopping, context.Background())
	d := &door{
		Options: o, fetcher: newFetcher(), longWait: 10 * time.Minute, shortWait: 45 * time.Second,
		downloads: &semaphore.Keyed{PerKey: maxDownloadsOfUser, Total: maxDownloads},
		waits:     &semaphore.Keyed{PerKey: maxWaitsOfUser, Total: maxWaits},
	}
	server := d.newServer()
	serve := func(stream bool) http.Handler {
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
			Stateless: true, JSONResponse: !stream, MaxRequestBodyBytes: o.MaxBody,
			DisableLocalhostProtection: true, // package comment, Origin
		})
	}
	d.plain, d.stream = serve(false), serve(true)
	return d
}

func (d *door) handler() http.Handler {
	return cors.API().Handler(private(d.Keys.Bearer(d.refuse)(http.HandlerFunc(d.serve))))
}

// private keeps answers out of caches, and from being read as a page.
func private(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", noStore)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// serve answers a request whose caller is known.
func (d *door) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		// Also of GET: nothing is ever sent that was not asked for.
		w.Header().Set("Allow", "OPTIONS, POST")
		writeError(w, http.StatusMethodNotAllowed, nil, invalidRequest, "Method not allowed: send messages by POST")
		return
	}
	body, err := d.body(w, r)
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	message := peek(body)
	if !message.isCall() { // a tool counts by itself, see door.call
		if err := d.take(r.Context()); err != nil {
			d.refuse(w, r, err)
			return
		}
	}
	if text := fault(body); text != "" {
		writeError(w, http.StatusBadRequest, message.ID, invalidRequest, text)
		return
	}
	if isUndeclared(message.Method) && len(message.ID) > 0 {
		writeError(w, statusOfUnknown(r), message.ID, methodNotFound, methodNotFoundText+message.Method)
		return
	}
	handler := d.plain
	if message.wantsProgress() {
		handler = d.stream
	}
	answer := &reply{ResponseWriter: w, to: message}
	r = r.WithContext(context.WithValue(r.Context(), requestKey{}, r.Context()))
	r.Body = io.NopCloser(bytes.NewReader(body))
	if r.Header.Get("Accept") == "" {
		// A client that names nothing takes anything (RFC 9110 section 12.5.1);
		// the SDK would refuse it.
		r.Header.Set("Accept", "*/*")
	}
	handler.ServeHTTP(answer, r)
	answer.finish()
}

// body returns the body of a request.
func (d *door) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, d.MaxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, &model.Error{Code: model.CodeTooLarge, Message: fmt.Sprintf(
			"Request body is over the maximum of %d bytes", d.MaxBody)}
	}
	if refused, ok := errors.AsType[*model.Error](err); ok { // of auth: the key was revoked meanwhile
		return nil, refused
	}
	if err != nil {
		return nil, &model.Error{Code: model.CodeInvalid, Message: "Request body ended early", Err: err}
	}
	if !utf8.Valid(body) { // would be replaced silently further on
		return nil, model.Invalidf("Request body must be valid UTF-8")
	}
	return body, nil
}

// take counts a request of the caller, which is one in each of the scopes.
func (d *door) take(ctx context.Context, operations ...string) error {
	caller := model.CallerFrom(ctx)
	if caller == nil { // cannot be: the door lets nobody else in
		return &model.Error{Code: model.CodeUnauthenticated, Message: "Invalid or expired API key"}
	}
	scopes := make([]limit.Scope, 0, max(1, len(operations)))
	for _, operation := range operations {
		scopes = append(scopes, limit.ScopeOf(operation))
	}
	if len(scopes) == 0 {
		scopes = append(scopes, limit.All)
	}
	return d.Limiter.Take(ctx, limit.UserSubject(caller.UserID), scopes...)
}
