package server

import (
	"net/http/httptest"
	"testing"
	"time"
)

// writeDeadlines is a writer that notes until when its bytes may be taken.
type writeDeadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *writeDeadlines) SetWriteDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

// Every response has a deadline by which its client must read it.
func TestHandler_limits_the_time_of_answers(t *testing.T) {
	t.Parallel()
	p := newTestProgram(t)
	t.Cleanup(func() { check(t, p.Close()) })
	listener, err := p.Listen(t.Context())
	check(t, err)
	check(t, p.Open(t.Context()))
	app, err := p.openApplication(listener)
	check(t, err)
	handler, err := app.handler()
	check(t, err)
	for _, path := range []string{"/livez", "/v1/files", "/v1/mcp", "/files/1/a.ply"} {
		w := &writeDeadlines{ResponseRecorder: httptest.NewRecorder()}
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", path, nil))
		if w.Body.Len() == 0 || len(w.set) < 2 {
			t.Errorf("%s: got %d bytes with the deadlines %v, want a response with a deadline", path, w.Body.Len(), w.set)
		}
	}
}
