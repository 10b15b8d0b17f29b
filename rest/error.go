package rest

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/go-chi/chi/v5/middleware"

	"portico/graph/view"
	"portico/model"
)

// handler responds to a request, or returns an error and writes nothing.
type handler func(w http.ResponseWriter, r *http.Request) error

// adapt renders the error of a handler.
func (a *api) adapt(handle handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := handle(w, r); err != nil {
			a.fail(w, r, err)
		}
	}
}

// noEndpoint refuses requests for unknown paths.
func noEndpoint(http.ResponseWriter, *http.Request) error {
	return model.NotFound("Endpoint not found")
}

// fail responds with the error, and logs an internal error.
func (a *api) fail(w http.ResponseWriter, r *http.Request, err error) {
	a.logFault(r, err)
	a.render(w, r, model.AsError(err))
}

// render writes the error as API section 7 defines it.
func (a *api) render(w http.ResponseWriter, r *http.Request, e *model.Error) {
	body := view.Refuse(w.Header(), r, e, a.base+model.ResourceMetadataPath+prefixOf(r))
	if err := respond(w, e.HTTPStatus(), body); err != nil { // impossible: the body has only texts and numbers
		a.logFault(r, err)
	}
}

// recoverPanic responds with 500 for a request whose handler panics.
//
// A response that has started cannot become a 500, so its connection is closed. Only exportSpace
// streams: respond encodes before it writes.
func (a *api) recoverPanic(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		response := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		defer func() {
			reason := recover()
			if reason == nil {
				return
			}
			if reason == http.ErrAbortHandler {
				panic(reason) // net/http then closes the connection
			}
			err := fmt.Errorf("panic: %v", reason)
			// A panic is logged even if the client has disconnected.
			a.logFault(r.WithContext(context.WithoutCancel(r.Context())), err, "stack", string(debug.Stack()))
			if response.Status() != 0 {
				panic(http.ErrAbortHandler) // closes the connection, so that the client sees an incomplete response
			}
			a.render(w, r, model.AsError(err))
		}()
		next.ServeHTTP(response, r)
	})
}

// logFault logs an internal error. It logs the path, which contains ids but never a key.
func (a *api) logFault(r *http.Request, err error, more ...any) {
	attributes := append([]any{"door", "rest", "method", r.Method, "path", r.URL.Path}, more...)
	model.LogFault(r.Context(), a.log, err, attributes...)
}
