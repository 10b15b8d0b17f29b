package observe

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A panic is logged as every other fault, even if the client has disconnected.
func TestRecoverPanics_logs_a_fault(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	handler := RecoverPanics(slog.New(slog.NewJSONHandler(&log, nil)), http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a bug") }))
	ctx, disconnect := context.WithCancel(t.Context())
	disconnect()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/v1/files", nil))
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "a bug") {
		t.Errorf("response: got %d %q, want 500 without details", w.Code, w.Body)
	}
	var line struct{ Msg, Error, Door, Stack string }
	check(t, json.Unmarshal([]byte(log.String()), &line))
	if line.Msg != "internal error" || line.Error != "panic: a bug" || line.Door != "rest" || !strings.Contains(line.Stack, "panic_test.go") {
		t.Errorf("logged: got %q", log.String())
	}
}
