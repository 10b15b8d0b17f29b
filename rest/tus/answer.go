package tus

import (
	"context"
	"net/http"
	"strings"

	tuslog "golang.org/x/exp/slog"

	"portico/graph/view"
)

// answerWriter replaces the plain text errors of tusd by the API's envelope.
type answerWriter struct {
	http.ResponseWriter
	bare    bool // the answer has no body
	whole   bool // the upload arrives in parts
	refused int  // the status of an error whose text follows
}

// WriteHeader sends the status. It keeps the status of an error until its text comes.
func (w *answerWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && !w.bare {
		w.refused = status
		return
	}
	// The whole has an offset once the parts are put together (tus 1.0, Concatenation).
	if h := w.Header(); w.whole && h.Get("Upload-Offset") != h.Get("Upload-Length") {
		h.Del("Upload-Offset")
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write sends the text of an error as the envelope. tusd writes it at once, as "CODE: text".
func (w *answerWriter) Write(p []byte) (int, error) {
	if w.refused == 0 {
		return w.ResponseWriter.Write(p)
	}
	text := strings.TrimSpace(string(p))
	if _, message, ok := strings.Cut(text, ": "); ok {
		text = message
	}
	writeRefusal(w.ResponseWriter, "", w.refused, view.NewRefusal(text))
	return len(p), nil
}

// Unwrap gives http.ResponseController the writer below.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// discard is a log that keeps nothing.
type discard struct{}

// Enabled implements slog.Handler.
func (discard) Enabled(context.Context, tuslog.Level) bool { return false }

// Handle implements slog.Handler.
func (discard) Handle(context.Context, tuslog.Record) error { return nil }

// WithAttrs implements slog.Handler.
func (d discard) WithAttrs([]tuslog.Attr) tuslog.Handler { return d }

// WithGroup implements slog.Handler.
func (d discard) WithGroup(string) tuslog.Handler { return d }
