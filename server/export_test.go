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
	"portico/storage/disk"
)

// A browser that gets a closed connection shows a failure of the network.
func TestExport_answers_an_error_before_the_first_byte(t *testing.T) {
	t.Parallel()
	database, err := db.Open(t.Context(), db.Options{URL: postgres.URL(t, testdb.Migrate)})
	check(t, err)
	check(t, database.Close())
	files, err := disk.Open(disk.Options{Folder: t.TempDir(), BaseURL: "http://localhost", Secret: []byte("0123456789abcdef")})
	check(t, err)
	t.Cleanup(func() { check(t, files.Close()) })
	logger := slog.New(slog.DiscardHandler)
	resolver := graph.New(graph.Options{DB: database, Store: files, Logger: logger})
	h := &exports{application: &application{Program: &Program{DB: database, store: files, Logger: logger}, resolver: resolver}}
	got := httptest.NewRecorder()
	h.send(got, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/export", nil), &model.User{ID: "ada"})
	if text := got.Body.String(); got.Code != http.StatusInternalServerError || text != "Internal server error\n" {
		t.Errorf("response: got %d %q, want 500 with the text of an internal error", got.Code, text)
	}
	if header := got.Header().Get("Content-Disposition"); header != "" {
		t.Errorf("Content-Disposition: got %q, want none", header)
	}
}
