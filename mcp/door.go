package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"portico/auth"
	"portico/graph"
	"portico/graph/view"
	"portico/internal/cors"
	"portico/internal/method"
	"portico/internal/semaphore"
	"portico/limit"
	"portico/model"
)

// noStore is the Cache-Control of every response.
const noStore = "no-store"

// defaultMaxBody is enough for a text file of some megabytes, escaped as JSON.
const defaultMaxBody = 8 << 20

// Options are the dependencies and settings of the door. Resolver, Keys, BaseURL and
// Logger must be set.
type Options struct {
	// Resolver executes the operations.
	Resolver *graph.Resolver
	// Keys finds the account of a request, before the body is read.
	Keys *auth.Keys
	// Limiter counts the calls of tools in the scopes of the operations that they call. Nil
	// means no limit.
	Limiter *limit.Limiter
	// BaseURL is the public address of the server. The response to a request without a valid key
	// has the address of the OAuth metadata, which is below it.
	BaseURL string
	// Logger logs each internal error once.
	Logger *slog.Logger
	// Version is the version that clients see; empty means "dev".
	Version string
	// MaxBody is the maximum size of a request body in bytes; 0 means 8 MiB. It limits
	// the texts of upload_text_file.
	MaxBody int64
	// TempFolder is the folder for downloads of unknown length until they are complete; empty means
	// os.TempDir. Several of the largest files must fit into it, so it should not be in memory.
	TempFolder string
	// Stopping is canceled when the server starts to stop. Calls that wait for a job then return its
	// progress. Nil means that it is never canceled.
	Stopping context.Context
}

// door handles MCP requests. Its fields are set once. longWait, shortWait and keepAlive are fields so
// that tests shorten them.
type door struct {
	Options
	fetcher *fetcher
	// longWait is how long a call that reports progress waits for a job.
	longWait time.Duration
	// shortWait is how long other calls wait for a job. Clients abandon them after a minute.
	shortWait time.Duration
	// keepAlive is the interval of the comments in a stream.
	keepAlive        time.Duration
	downloads, waits *semaphore.Room

	plain  http.Handler // responds with one JSON document
	stream http.Handler // responds with events; the last one is the result
}

// New returns the handler of the MCP endpoint, for the paths /v1/mcp and /api/v1/mcp. It expects
// the whole path of the request.
func New(o Options) http.Handler { return newDoor(o).handler() }

// newDoor returns the door. One server handles all requests: it has the tools, and no state of a
// client.
func newDoor(o Options) *door {
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	o.MaxBody = cmp.Or(o.MaxBody, defaultMaxBody)
	o.Stopping = cmp.Or(o.Stopping, context.Background())
	d := &door{
		Options: o, fetcher: newFetcher(), longWait: 10 * time.Minute, shortWait: 45 * time.Second,
		keepAlive: 15 * time.Second,
		downloads: &semaphore.Room{Share: maxDownloadsOfUser, Size: maxDownloads, Floor: minDownloadRate, Grace: downloadGrace, Fair: true},
		waits:     &semaphore.Room{Share: maxWaitsOfUser, Size: maxWaits, Fair: true},
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

// setSecurityHeaders keeps responses out of caches, and keeps browsers from showing them as
// pages.
func setSecurityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", noStore)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// serve handles a request whose caller is known.
//
// It reads the whole body first, because it looks at the message before the SDK does.
func (d *door) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		if err := d.countRequests(r.Context(), 1); err != nil {
			d.refuse(w, r, err)
			return
		}
		// GET would open a stream of messages of the server, but this server sends none.
		status := method.Refuse(w.Header(), http.MethodOptions, http.MethodPost)
		writeError(w, status, nil, invalidRequest, "Method not allowed: send messages by POST")
		return
	}
	body, err := view.ReadBody(w, r, d.MaxBody)
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	message := readMessage(body)
	var batch []json.RawMessage
	if message.valid {
		batch = splitBatch(body)
	}
	if count := requestsBesideCalls(message, batch); count > 0 {
		if err := d.countRequests(r.Context(), count); err != nil {
			d.refuse(w, r, err)
			return
		}
	}
	if text := bodyFault(body, batch); text != "" {
		writeError(w, http.StatusBadRequest, message.ID, invalidRequest, text)
		return
	}
	if isUndeclared(message.Method) && len(message.ID) > 0 {
		writeError(w, unknownMethodStatus(r), message.ID, methodNotFound, methodNotFoundText+message.Method)
		return
	}
	d.forward(w, r, message, body)
}

// forward lets the SDK handle a message.
func (d *door) forward(w http.ResponseWriter, r *http.Request, message message, body []byte) {
	handler := d.plain
	if message.wantsProgress() {
		handler = d.stream
	}
	response := &reply{ResponseWriter: w, to: message}
	r = r.WithContext(context.WithValue(r.Context(), requestKey{}, &httpRequest{r.Context(), response}))
	r.Body = io.NopCloser(bytes.NewReader(body))
	if r.Header.Get("Accept") == "" {
		// A request without Accept accepts every type (RFC 9110 section 12.5.1), but the SDK
		// refuses it.
		r.Header.Set("Accept", "*/*")
	}
	handler.ServeHTTP(response, r)
	response.finish()
}

// countRequests counts requests of the caller in the limit of all requests only.
func (d *door) countRequests(ctx context.Context, number int) error {
	return d.take(ctx, slices.Repeat([]limit.Scope{limit.All}, number))
}

// countOperations counts a request of the caller in the scope of each operation. An unknown
// operation counts in the limit of all requests only. A call without operations counts as one
// request.
func (d *door) countOperations(ctx context.Context, operations []string) error {
	if len(operations) == 0 {
		return d.countRequests(ctx, 1)
	}
	scopes := make([]limit.Scope, len(operations))
	for i, operation := range operations {
		scopes[i] = limit.ScopeOf(operation)
	}
	return d.take(ctx, scopes)
}

// take counts requests of the caller in these scopes, or refuses them together.
func (d *door) take(ctx context.Context, scopes []limit.Scope) error {
	caller := model.CallerFrom(ctx)
	if caller == nil { // impossible: Keys.Bearer refuses requests without a caller
		return model.Unauthenticated()
	}
	return d.Limiter.Take(ctx, limit.UserSubject(caller.UserID), scopes...)
}
