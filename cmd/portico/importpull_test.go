package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"portico/model"
)

// Five minutes of the same request would not make the response another one.
func TestImport_does_not_repeat_a_pull_whose_content_is_wrong(t *testing.T) {
	t.Parallel()
	for name, response := range map[string]string{
		"no zip":        "<html>Sign in</html>",
		"no manifest":   zipOf(t, map[string]string{"other.json": "{}"}),
		"another space": zipOf(t, map[string]string{model.ManifestFile: `{"spaceId": "12345678_b"}`}),
		"another file":  zipOf(t, map[string]string{model.ManifestFile: `{"spaceId": "12345678_a", "assets": [{"file": "../evil"}]}`}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if requests.Add(1) > 1 {
					cancel()
				}
				_, _ = io.WriteString(w, response)
			}))
			t.Cleanup(server.Close)
			i := &importer{remote: &remote{server: server.URL}}
			if _, err := i.pull(ctx, "12345678_a"); err == nil || requests.Load() != 1 {
				t.Errorf("got %v after %d requests, want an error after one", err, requests.Load())
			}
		})
	}
}

// A folder or a disk of this computer does not change while a command repeats its requests.
func TestUntilResponse_returns_the_error_of_a_file_at_once(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	missing := filepath.Join(t.TempDir(), "missing")
	calls := 0
	err := untilResponse(ctx, func() error {
		if calls++; calls > 1 {
			cancel()
		}
		_, err := os.CreateTemp(missing, "")
		return err
	})
	if !errors.Is(err, fs.ErrNotExist) || calls != 1 {
		t.Errorf("got %v after %d calls, want that the folder is missing after one", err, calls)
	}
}
