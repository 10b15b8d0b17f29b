package server

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/go-chi/chi/v5/middleware"

	"portico/model"
	"portico/web"
)

// recoverPanics logs a panic of a handler and responds with 500. net/http would only close the
// connection.
//
// A response that has started cannot become a 500, so its connection is closed.
func (p *Program) recoverPanics(next http.Handler) http.Handler {
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
			model.LogFault(context.WithoutCancel(r.Context()), p.Logger, err,
				"door", doorOf(r.URL.Path), "path", loggedPath(r.URL.Path), "stack", string(debug.Stack()))
			if response, ok := w.(middleware.WrapResponseWriter); ok && response.Status() != 0 {
				panic(http.ErrAbortHandler) // closes the connection, so that the client sees an incomplete response
			}
			web.RefuseInText(w, err)
		}()
		next.ServeHTTP(w, r)
	})
}
