package tus

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	tusd "github.com/tus/tusd/v2/pkg/handler"
)

// Clients of tus continue after a 503, and take a 500 for a fault of the server.
func TestResponse_to_a_request_that_sent_nothing_asks_to_continue(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	w := &responseWriter{ResponseWriter: recorder}
	w.WriteHeader(tusd.ErrReadTimeout.HTTPResponse.StatusCode)
	if _, err := w.Write([]byte(tusd.ErrReadTimeout.Error() + "\n")); err != nil {
		t.Fatal(err)
	}
	if recorder.Code != http.StatusServiceUnavailable || recorder.Header().Get("Retry-After") != "5" ||
		!strings.Contains(recorder.Body.String(), "sent nothing for 20 seconds") {
		t.Errorf("got %d, Retry-After %q, %s; want 503 that asks to continue", recorder.Code, recorder.Header().Get("Retry-After"), recorder.Body)
	}
}
