package server

import (
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"portico/internal/testkit/postgres/testdb"
)

// Every response has a deadline by which its client must read it.
func TestHandler_limits_the_time_of_answers(t *testing.T) {
	t.Parallel()
	p := &Program{
		Config: Config{Addr: "127.0.0.1:0", DataDir: t.TempDir(), UploadTTL: time.Minute}, Logger: slog.New(slog.DiscardHandler),
		secret: []byte("0123456789abcdef"), DB: testdb.Open(t),
	}
	p.metrics = newMetrics(p)
	t.Cleanup(func() { check(t, p.Close()) })
	check(t, p.openStore(t.Context()))
	check(t, p.openSite())
	check(t, p.openResolver())
	handler, err := p.handler(newStreams())
	check(t, err)
	for _, path := range []string{"/livez", "/v1/files", "/v1/mcp", "/files/1/a.ply"} {
		w := &writeDeadlines{ResponseRecorder: httptest.NewRecorder()}
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", path, nil))
		if w.Body.Len() == 0 || len(w.set) < 2 {
			t.Errorf("%s: got %d bytes with the deadlines %v, want an answer with a deadline", path, w.Body.Len(), w.set)
		}
	}
}
