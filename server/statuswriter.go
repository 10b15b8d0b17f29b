package server

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// statusWriter records the status and the size of a response.
//
// It is used by the goroutine of the handler only. For a socket it has 101, and no bytes.
type statusWriter struct {
	http.ResponseWriter
	code  int // 0 until the response starts
	bytes int64
}

// recordStatus returns a writer that records the status and the size. It returns w itself if w is
// such a writer, so that log, metrics and traces see the same status.
func recordStatus(w http.ResponseWriter) *statusWriter {
	if recorded, ok := w.(*statusWriter); ok {
		return recorded
	}
	return &statusWriter{ResponseWriter: w}
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(code int) {
	// After an informational response (1xx) a final response follows, except after 101 (RFC 9110
	// section 15.2).
	if w.code == 0 && (code >= http.StatusOK || code == http.StatusSwitchingProtocols) {
		w.code = code
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (w *statusWriter) Write(b []byte) (int, error) {
	w.code = w.status()
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// ReadFrom implements io.ReaderFrom, so that the system sends files with sendfile.
func (w *statusWriter) ReadFrom(r io.Reader) (int64, error) {
	w.code = w.status()
	n, err := io.Copy(w.ResponseWriter, r)
	w.bytes += n
	return n, err
}

// Unwrap returns the wrapped writer for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// statusClientClosed is recorded when the client disconnects before the response. It is never sent.
// It is nginx's code for this case.
const statusClientClosed = 499

// outcome returns the status for logs, metrics and traces. It is statusClientClosed for a request
// that failed because its client disconnected, which is not a failure of the server.
func (w *statusWriter) outcome(r *http.Request) int {
	isClosed := errors.Is(r.Context().Err(), context.Canceled)
	if isClosed && (w.code == 0 || w.code >= http.StatusInternalServerError) {
		return statusClientClosed
	}
	return w.status()
}

// status returns the status of the response, which is 200 if the handler sets none.
func (w *statusWriter) status() int {
	if w.code == 0 {
		return http.StatusOK
	}
	return w.code
}
