package storage

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// testServer is a Disk behind real HTTP, with its own folder and clock.
type testServer struct {
	*Disk
	url string
	dir string
	now time.Time
	log *bytes.Buffer
}

func newTestServer(t testing.TB, change func(*DiskOptions)) *testServer {
	t.Helper()
	s := &testServer{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), log: new(bytes.Buffer), dir: t.TempDir()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	s.url = server.URL
	options := s.options()
	if change != nil {
		change(&options)
	}
	s.Disk = openDisk(t, options)
	return s
}

func (s *testServer) options() DiskOptions {
	return DiskOptions{
		Folder:  s.dir,
		BaseURL: s.url,
		Secret:  []byte("a secret for the tests alone"),
		Now:     func() time.Time { return s.now },
		Logger:  slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
}

func openDisk(t testing.TB, o DiskOptions) *Disk {
	t.Helper()
	d, err := OpenDisk(o)
	if err != nil {
		t.Fatalf("OpenDisk: %v", err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return d
}

// put stores an object or ends the test.
func put(t *testing.T, s Store, key, content string) {
	t.Helper()
	size, err := s.Put(t.Context(), key, strings.NewReader(content))
	if err != nil || size != int64(len(content)) {
		t.Fatalf("Put(%q) = %d, %v, want %d", key, size, err, len(content))
	}
}

// content reads an object or ends the test.
func content(t *testing.T, s Store, key string) string {
	t.Helper()
	r, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatalf("Open(%q): %v", key, err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("read %q: %v", key, err)
	}
	return string(b)
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
