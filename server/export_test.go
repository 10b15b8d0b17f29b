package server

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"portico/db"
	"portico/graph"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/model"
)

// A browser that gets a closed connection shows a failure of the network.
func TestExport_answers_an_error_before_the_first_byte(t *testing.T) {
	t.Parallel()
	database, err := db.Open(t.Context(), db.Options{URL: postgres.URL(t, testdb.Migrate)})
	check(t, err)
	check(t, database.Close())
	h := &exports{program: &Program{DB: database, Logger: slog.New(slog.DiscardHandler), resolver: &graph.Resolver{DB: database}}}
	got := httptest.NewRecorder()
	h.send(got, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/export", nil), &model.User{ID: "ada"})
	if text := got.Body.String(); got.Code != http.StatusInternalServerError || text != "Internal server error\n" {
		t.Errorf("answer: got %d %q, want 500 with the text of an internal error", got.Code, text)
	}
	if header := got.Header().Get("Content-Disposition"); header != "" {
		t.Errorf("Content-Disposition: got %q, want none", header)
	}
}
