package graph_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"portico/graph"
	"portico/model"
	"portico/storage"
	"portico/storage/disk"
)

// unavailable is a store that cannot be read while it is away.
type unavailable struct {
	storage.Store
	away  bool
	opens int
}

// Open implements storage.Store.
func (s *unavailable) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	s.opens++
	if err := ctx.Err(); err != nil || s.away {
		return nil, errors.Join(err, storage.ErrUnavailable)
	}
	return s.Store.Open(ctx, key)
}

// A page that nobody waits for any more, and every page during an outage, would fill the log.
func TestFirstFiles_reads_and_logs_a_failure_once_in_a_while(t *testing.T) {
	t.Parallel()
	files, err := disk.Open(disk.Options{Folder: t.TempDir(), BaseURL: "https://portico.example", Secret: []byte("a secret of the tests")})
	check(t, err)
	t.Cleanup(func() { check(t, files.Close()) })
	store, log := &unavailable{Store: files, away: true}, new(bytes.Buffer)
	r := graph.NewFirstFiles(store, slog.New(slog.NewTextHandler(log, nil)))
	page := &model.SpacePage{Capture: &model.File{UserID: "ada", ResourceKey: "scan/lod-meta.json"}}
	wants := func(what string, opens, lines int) {
		t.Helper()
		if got := strings.Count(log.String(), "\n"); store.opens != opens || got != lines {
			t.Errorf("%s: got %d reads and %d lines of the log, want %d and %d", what, store.opens, got, opens, lines)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		left, leave := context.WithCancel(t.Context())
		leave()
		r.FirstFiles(left, page)
		wants("a client that has left", 1, 0)
		for range 3 {
			if got := r.FirstFiles(t.Context(), page); len(got) != 1 {
				t.Errorf("addresses: got %q, want the manifest alone", got)
			}
		}
		wants("three pages", 2, 1)
		time.Sleep(graph.FirstFilesRetry)
		r.FirstFiles(t.Context(), page)
		wants("a page later", 3, 2)
	})
}
