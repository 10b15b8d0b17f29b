package storage

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
)

// testBatch holds that a batch stores what Put does.
func testBatch(t *testing.T, s Store) {
	put(t, s, "1/room/a.json", "before")
	batch := NewBatch(s)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			body := strings.Repeat("x", i)
			if n, err := batch.Put(t.Context(), fmt.Sprintf("1/room/tiles/%02d.sog", i), strings.NewReader(body)); err != nil || n != int64(i) {
				t.Errorf("put: got %d, %v, want %d", n, err, i)
			}
		})
	}
	all.Wait()
	if _, err := batch.Put(t.Context(), "1/room/a.json", strings.NewReader("after")); err != nil {
		t.Fatalf("replace: %v", err)
	}
	broken := failingReader{strings.NewReader("half"), func() error { return io.ErrUnexpectedEOF }}
	if _, err := batch.Put(t.Context(), "1/room/half.sog", broken); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half an object: got %v, want %v", err, io.ErrUnexpectedEOF)
	}
	if _, err := batch.Put(t.Context(), "1/../2/a.json", strings.NewReader("")); !errors.Is(err, ErrInvalidKey) {
		t.Errorf("invalid key: got %v, want %v", err, ErrInvalidKey)
	}
	if err := batch.Commit(); err != nil {
		t.Fatalf("commit: %v", err)
	}
	if got := content(t, s, "1/room/a.json"); got != "after" {
		t.Errorf("content: got %q, want it replaced", got)
	}
	count := 0
	for object, err := range s.List(t.Context(), "1/room/tiles") {
		if err != nil || object.Size != int64(count) {
			t.Errorf("object %d: got %+v, %v", count, object, err)
		}
		count++
	}
	if count != 20 {
		t.Errorf("objects: got %d, want 20", count)
	}
	if _, err := s.Stat(t.Context(), "1/room/half.sog"); !errors.Is(err, ErrNotFound) {
		t.Errorf("half an object: got %v, want %v", err, ErrNotFound)
	}
}

// What is safe after Commit is what Put alone makes safe: the names in all folders on the
// way, each synced after the last name in it.
func TestBatch_syncs_each_folder_once(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	batch := s.Batch().(*diskBatch)
	var synced []string
	batch.sync = func(folder string) error {
		synced = append(synced, folder)
		return s.syncFolder(folder)
	}
	for _, key := range []string{"1/room/a.sog", "1/room/tiles/0.sog", "1/room/tiles/1.sog", "2/b.sog"} {
		if _, err := batch.Put(t.Context(), key, strings.NewReader("tile")); err != nil {
			t.Fatalf("put %s: %v", key, err)
		}
	}
	if len(synced) != 0 {
		t.Errorf("before Commit: got %q synced, want none", synced)
	}
	if err := batch.Commit(); err != nil {
		t.Fatalf("commit: %v", err)
	}
	slices.Sort(synced)
	want := []string{".", "objects", "objects/1", "objects/1/room", "objects/1/room/tiles", "objects/2"}
	if !slices.Equal(synced, want) {
		t.Errorf("synced: got %q, want %q", synced, want)
	}
	synced = nil
	if err := batch.Commit(); err != nil || len(synced) != 0 {
		t.Errorf("commit again: got %q synced, %v, want none", synced, err)
	}
}

func TestBatch_fails_until_all_folders_are_synced(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	batch := s.Batch().(*diskBatch)
	if _, err := batch.Put(t.Context(), "1/room/a.sog", strings.NewReader("tile")); err != nil {
		t.Fatalf("put: %v", err)
	}
	broken, synced := errors.New("the disk is broken"), map[string]bool{}
	batch.sync = func(folder string) error {
		if folder == "objects/1" {
			return broken
		}
		return nil
	}
	if err := batch.Commit(); !errors.Is(err, broken) {
		t.Errorf("commit: got %v, want %v", err, broken)
	}
	batch.sync = func(folder string) error {
		synced[folder] = true
		return nil
	}
	if err := batch.Commit(); err != nil || len(synced) != 4 {
		t.Errorf("commit again: got %v synced, %v, want all four folders", synced, err)
	}
}
