// Package observe is what operators see of a server: its access log, metrics and traces. They get the
// same status, route and request id of each request. It knows the routes of the server by name, and
// calls no door.
//
// # Why the access log is our own
//
// We measured github.com/go-chi/httplog v3.3.0 with the same attributes:
//
//   - Its message contains the whole address with the query, and no option changes that. The
//     log would contain the signatures of presigned addresses.
//   - It logs a request whose client has disconnected as a 500 at level ERROR. We log 499 at
//     INFO, and metrics and traces must agree with the log.
//   - The status determines the level. Probes can be omitted, but not logged at DEBUG.
//   - LogExtraAttrs, its option for attributes that depend on the response, keeps the body of
//     the request in memory: 64 MB for an upload of 64 MB. SetAttrs, its other option, does
//     not, but a line then costs 36 allocations and 2.5 kB instead of 18 and 1.0 kB.
//
// It would replace the dozen lines that write the log line. The writer that records the status
// would remain, because metrics and traces read it.
package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5/middleware"

	"portico/limit"
	"portico/model"
	"portico/storage/door"
	"portico/web"
)

// Identify gives each request an origin, with the address that one of the trusted proxies says. The
// account is known only inside, so the origin has a place for it, which auth fills in.
func Identify(proxies []netip.Prefix, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(model.WithOrigin(r.Context(), model.Origin{
			Address: clientAddress(r, proxies), UserAgent: r.UserAgent(), Language: model.PreferredLanguage(r.Header.Get("Accept-Language")), Door: doorOf(r.URL.Path),
		})))
	})
}

// LogRequests logs one line when a request ends, with the address of the client and the
// account. The line has no signature, query or header, which may contain secrets.
//
// The line is written after the response, and for a stream after its end.
func LogRequests(logger *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, response := time.Now(), RecordStatus(w, r)
		ctx := r.Context()
		origin := model.OriginFrom(ctx)
		defer func() { // deferred, so that a request that panics is logged too
			logger.Log(ctx, requestLevel(r), "request",
				"method", r.Method, "path", loggedPath(r.URL.Path), "status", outcome(response, r), "bytes", response.BytesWritten(),
				"duration", time.Since(start), "address", origin.Address, "user_id", origin.UserID(), "request_id", model.RequestID(ctx))
		}()
		next.ServeHTTP(response, r)
	})
}

// clientAddress returns the IP address of the client, or "" if the peer has none. It believes
// X-Forwarded-For only from the proxies.
func clientAddress(r *http.Request, proxies []netip.Prefix) string {
	address := limit.ClientAddress(r, proxies)
	if !address.IsValid() {
		return ""
	}
	return address.String()
}

// doorOf returns the door that a path leads to. The events of the audit trail name the door. It
// follows the routes of handler.go.
func doorOf(path string) string {
	first, rest, _ := strings.Cut(strings.TrimPrefix(web.WithoutEmptySegments(path), "/"), "/")
	if first == "api" { // the second prefix (docs/rest.md)
		first, rest, _ = strings.Cut(rest, "/")
	}
	switch {
	case first == "graphql":
		return model.DoorGraphQL
	case first == "v1" && (rest == "mcp" || strings.HasPrefix(rest, "mcp/")):
		return model.DoorMCP
	case first == "v1", first == "supersplat":
		return model.DoorREST
	case slices.Contains([]string{"authorize", "token", "revoke", "register"}, first):
		return model.DoorOAuth
	}
	return model.DoorPages
}

// requestLevel returns the log level of a request: debug for probes, which arrive every few
// seconds, and info for all others.
func requestLevel(r *http.Request) slog.Level {
	if r.URL.Path == "/livez" || r.URL.Path == "/readyz" {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// loggedPath returns a path for logs, without the signatures and secrets that it contains.
func loggedPath(path string) string {
	if IsResumable(path) {
		return ResumableRoute
	}
	return door.WithoutSignature(path)
}

// RecoverPanics logs a panic of a handler and responds with 500. net/http would only close the
// connection.
//
// A response that has started cannot become a 500, so its connection is closed.
func RecoverPanics(logger *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			reason := recover()
			if reason == nil {
				return
			}
			if reason == http.ErrAbortHandler {
				panic(reason) // net/http closes the connection
			}
			// A panic is a fault even if the client has disconnected.
			err := fmt.Errorf("panic: %v", reason)
			model.LogFault(context.WithoutCancel(r.Context()), logger, err,
				"door", doorOf(r.URL.Path), "path", loggedPath(r.URL.Path), "stack", string(debug.Stack()))
			if response, ok := w.(middleware.WrapResponseWriter); ok && response.Status() != 0 {
				panic(http.ErrAbortHandler) // closes the connection, so that the client sees an incomplete response
			}
			web.RefuseInText(w, err)
		}()
		next.ServeHTTP(w, r)
	})
}

// RecordStatus returns a writer that records the status and the size of a response. It returns w
// itself if w is such a writer, so that log, metrics and traces see the same status.
func RecordStatus(w http.ResponseWriter, r *http.Request) middleware.WrapResponseWriter {
	if recorded, ok := w.(middleware.WrapResponseWriter); ok {
		return recorded
	}
	return middleware.NewWrapResponseWriter(w, r.ProtoMajor)
}

// statusClientClosed is recorded when the client disconnects before the response. It is never sent.
// It is nginx's code for this case.
const statusClientClosed = 499

// outcome returns the status for logs, metrics and traces, which is 200 if the handler sets none. It
// is statusClientClosed for a request that failed because its client disconnected, which is not a
// failure of the server.
func outcome(response middleware.WrapResponseWriter, r *http.Request) int {
	status := response.Status()
	isClosed := errors.Is(r.Context().Err(), context.Canceled)
	if isClosed && (status == 0 || status >= http.StatusInternalServerError) {
		return statusClientClosed
	}
	return cmp.Or(status, http.StatusOK)
}
