package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"portico/auth"
	"portico/graph"
	"portico/graph/view"
	"portico/internal/cors"
	"portico/internal/semaphore"
	"portico/limit"
	"portico/model"
)

// noStore is the Cache-Control of every answer.
const noStore = "no-store"

// defaultMaxBody has room for a text file of some megabytes, escaped as JSON.
const defaultMaxBody = 8 << 20

// Options are the dependencies and settings of the door. Resolver, Keys, BaseURL and
// Logger must be set.
type Options struct {
	// Resolver executes the operations.
	Resolver *graph.Resolver
	// Keys finds the account of a request, before anything else is read.
	Keys *auth.Keys
	// Limiter counts the calls of tools in the scopes of the endpoints with the same
	// effect. Nil means no limit.
	Limiter *limit.Limiter
	// BaseURL is the public address of the server. A request without a valid key is
	// answered with the address of the OAuth metadata, which is below it.
	BaseURL string
	// Logger logs each internal error once.
	Logger *slog.Logger
	// Version is the version that clients see; empty means "dev".
	Version string
	// MaxBody is the maximum size of a request body in bytes; 0 means 8 MiB. It limits
	// the texts of upload_text_file.
	MaxBody int64
	// TempDir is the folder of downloads of unknown length, until they are complete; empty
	// means os.TempDir. It needs room for several of the largest files, so it should not
	// be in memory.
	TempDir string
	// Stopping ends when the server is about to stop: calls that wait for a job then
	// answer with its progress, instead of being cut off. Nil never ends.
	Stopping context.Context
}

// door answers MCP requests. Its fields are set once.
type door struct {
	Options
	fetcher *fetcher
	// longWait is the maximum time that a call which reports progress waits for a job.
	longWait time.Duration
	// shortWait is the maximum for other calls, which clients abandon after a minute.
	shortWait        time.Duration
	downloads, waits *semaphore.Keyed

	plain  http.Handler // answers one JSON document
	stream http.Handler // answers events; the last one is the result
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
	return cors.API().Handler(setSecurityHeaders(d.Keys.Bearer(d.refuse)(http.HandlerFunc(d.serve))))
}

// setSecurityHeaders keeps answers out of caches, and keeps browsers from showing them as
// pages.
func setSecurityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", noStore)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// serve answers a request whose caller is known.
func (d *door) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		// Also for GET, which opens a stream of the server's own messages: it has none.
		w.Header().Set("Allow", "OPTIONS, POST")
		writeError(w, http.StatusMethodNotAllowed, nil, invalidRequest, "Method not allowed: send messages by POST")
		return
	}
	body, err := view.ReadBody(w, r, d.MaxBody)
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	message := peek(body)
	if count := uncounted(body, message); count > 0 {
		if err := d.take(r.Context(), make([]string, count)...); err != nil {
			d.refuse(w, r, err)
			return
		}
	}
	if text := bodyFault(body); text != "" {
		writeError(w, http.StatusBadRequest, message.ID, invalidRequest, text)
		return
	}
	if isUndeclared(message.Method) && len(message.ID) > 0 {
		writeError(w, unknownMethodStatus(r), message.ID, methodNotFound, methodNotFoundText+message.Method)
		return
	}
	d.forward(w, r, message, body)
}

// forward answers a message by the handler of the SDK.
func (d *door) forward(w http.ResponseWriter, r *http.Request, message message, body []byte) {
	handler := d.plain
	if message.wantsProgress() {
		handler = d.stream
	}
	answer := &reply{ResponseWriter: w, to: message}
	r = r.WithContext(context.WithValue(r.Context(), requestKey{}, r.Context()))
	r.Body = io.NopCloser(bytes.NewReader(body))
	if r.Header.Get("Accept") == "" {
		// A request without Accept accepts anything (RFC 9110 section 12.5.1); the SDK
		// would refuse it.
		r.Header.Set("Accept", "*/*")
	}
	handler.ServeHTTP(answer, r)
	answer.finish()
}

// uncounted returns the number of messages that count as a request and are not calls of
// tools, which door.call counts. Each message of a batch counts. A body without any message
// counts once.
func uncounted(body []byte, single message) int {
	if single.isCall() {
		return 0
	}
	var batch []json.RawMessage
	if json.Unmarshal(body, &batch) != nil {
		return 1
	}
	count := 0
	for _, one := range batch {
		if !peek(one).isCall() {
			count++
		}
	}
	return max(1, count)
}

// take counts a request of the caller once in the scope of each operation, or in the limit
// of all requests alone, as which an unknown operation counts.
func (d *door) take(ctx context.Context, operations ...string) error {
	caller := model.CallerFrom(ctx)
	if caller == nil { // cannot be: Keys.Bearer refuses requests without a caller
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
