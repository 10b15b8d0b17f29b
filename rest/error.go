package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"

	"portico/graph/view"
	"portico/model"
)

// handler answers a request, or returns the error to answer with.
type handler func(w http.ResponseWriter, r *http.Request) error

// adapt renders the error of a handler.
func (a *api) adapt(handle handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := handle(w, r); err != nil {
			a.fail(w, r, err)
		}
	}
}

// noEndpoint answers what no route does.
func noEndpoint(http.ResponseWriter, *http.Request) error {
	return model.NotFound("Endpoint not found")
}

// fail answers with the error, and logs one that is ours. It is also what
// auth.Keys hands requests to that have no valid key.
func (a *api) fail(w http.ResponseWriter, r *http.Request, err error) {
	e := model.AsError(err)
	// Work that ends because its client has left is nobody's mistake.
	if e.Code == model.CodeInternal && !errors.Is(r.Context().Err(), context.Canceled) {
		a.logError(r, "internal error", err)
	}
	a.render(w, r, e)
}

// render writes the error in the words of API section 7.
func (a *api) render(w http.ResponseWriter, r *http.Request, e *model.Error) {
	body := view.Refusal{Message: e.Message}
	switch e.Code {
	case model.CodeUnauthenticated:
		w.Header().Set("WWW-Authenticate", a.challenge(r))
	case model.CodeRateLimited:
		body.RetryAfterSeconds = model.RetrySeconds(e.RetryAfter)
		w.Header().Set("Retry-After", strconv.Itoa(body.RetryAfterSeconds))
	}
	if err := refuse(w, e.Code.HTTPStatus(), body); err != nil { // cannot be: it is text
		a.logError(r, "internal error", err)
	}
}

// challenge returns the WWW-Authenticate header, which leads a client to the
// authorization server (RFC 9728 section 5.1). A key that was sent and is not
// valid is an error of its own (RFC 6750 section 3.1).
func (a *api) challenge(r *http.Request) string {
	challenge := fmt.Sprintf(`Bearer resource_metadata="%s/.well-known/oauth-protected-resource%s"`, a.base, prefixOf(r))
	if r.Header.Get("Authorization") != "" {
		challenge += `, error="invalid_token"`
	}
	return challenge
}

// recoverPanic answers 500 for a request whose handler panics. Nothing has been
// written then: respond encodes before it writes.
func (a *api) recoverPanic(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			reason := recover()
			if reason == nil {
				return
			}
			if reason == http.ErrAbortHandler {
				panic(reason) // net/http's own way to drop a connection
			}
			err := fmt.Errorf("panic: %v", reason)
			a.logError(r, "panic", err, "stack", string(debug.Stack()))
			a.render(w, r, model.AsError(err))
		}()
		next.ServeHTTP(w, r)
	})
}

// logError logs an error that is ours. Paths hold ids, never a key.
func (a *api) logError(r *http.Request, message string, err error, more ...any) {
	attributes := []any{
		"request_id", model.RequestID(r.Context()), "method", r.Method, "path", r.URL.Path, "error", err,
	}
	a.log.ErrorContext(r.Context(), message, append(attributes, more...)...)
}
