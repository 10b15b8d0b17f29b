package disk

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// testServer is a Store behind real HTTP, with its own folder and clock.
type testServer struct {
	*Store
	url string
	dir string
	now time.Time
	log *bytes.Buffer
}

func newTestServer(t testing.TB, change func(*Options)) *testServer {
	t.Helper()
	s := &testServer{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), log: new(bytes.Buffer), dir: t.TempDir()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	s.url = server.URL
	options := s.options()
	if change != nil {
		change(&options)
	}
	s.Store = openStore(t, options)
	return s
}

func (s *testServer) options() Options {
	return Options{
		Folder:  s.dir,
		BaseURL: s.url,
		Secret:  []byte("a secret for the tests alone"),
		Now:     func() time.Time { return s.now },
		Logger:  slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
}

func openStore(t testing.TB, o Options) *Store {
	t.Helper()
	d, err := Open(o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return d
}

// incomingFiles returns the names in the incoming folder.
func (s *testServer) incomingFiles(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(s.dir, incomingFolder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func writeFile(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(name, []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}
