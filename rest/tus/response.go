package tus

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	tusd "github.com/tus/tusd/v2/pkg/handler"

	"portico/internal/envelope"
	"portico/internal/semaphore"
	"portico/model"
)

// responseWriter replaces the plain text errors of tusd with the API's envelope.
type responseWriter struct {
	http.ResponseWriter
	hasNoBody bool             // the response has no body, as the response to HEAD
	isDivided bool             // the upload has parts, and the request is about the whole
	place     *semaphore.Place // of a PATCH, otherwise nil
	refused   int              // the status of an error whose text has not been written; 0 for none
}

// WriteHeader sends the status. The status of an error is sent with its text.
func (w *responseWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && !w.hasNoBody {
		w.refused = status
		return
	}
	// tusd sends the length of the upload as the length of a body that HEAD does not have. A client
	// that names HEAD in a header would wait for that body.
	if w.hasNoBody {
		w.Header().Del("Content-Length")
	}
	// An upload with parts has no offset before the parts are complete (tus 1.0, Concatenation).
	if h := w.Header(); w.isDivided && h.Get("Upload-Offset") != h.Get("Upload-Length") {
		h.Del("Upload-Offset")
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write sends the text of an error in the envelope. tusd writes the text in one call, as "CODE:
// text".
func (w *responseWriter) Write(p []byte) (int, error) {
	if w.refused == 0 {
		return w.ResponseWriter.Write(p)
	}
	text := strings.TrimSpace(string(p))
	code, message, ok := strings.Cut(text, ": ")
	if !ok {
		message = text
	}
	switch {
	case w.place != nil && w.place.GaveWay():
		w.refuseInterrupted("Other uploads needed the place of this one, which was slow. Continue it")
	case code == tusd.ErrReadTimeout.ErrorCode: // tusd has 500 for it, but the server is well
		w.refuseInterrupted(fmt.Sprintf("The request sent nothing for %.0f seconds. Continue the upload", stallTimeout.Seconds()))
	default:
		envelope.Write(w.ResponseWriter, w.refused, envelope.NewRefusal(message))
	}
	return len(p), nil
}

// refuseInterrupted tells the client to continue in another request: clients of tus do after a 503.
func (w *responseWriter) refuseInterrupted(message string) {
	seconds := model.RetrySeconds(yieldRetryAfter)
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	body := envelope.NewRefusal(message)
	body.RetryAfterSeconds = seconds
	envelope.Write(w.ResponseWriter, http.StatusServiceUnavailable, body)
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
