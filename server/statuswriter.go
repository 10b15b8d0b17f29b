package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5/middleware"
)

// recordStatus returns a writer that records the status and the size of a response. It returns w
// itself if w is such a writer, so that log, metrics and traces see the same status.
func recordStatus(w http.ResponseWriter, r *http.Request) middleware.WrapResponseWriter {
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
