package storage

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	if err := errors.Join(batch.Commit(), batch.Close()); err != nil {
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

// More objects than are synced one by one, over objects that are there, in several folders.
func TestBatch_of_many_objects(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	put(t, s, "1/room/0/0.sog", "before")
	batch := s.Batch()
	const count = 3 * maxSingleSyncs
	for i := range count {
		if _, err := batch.Put(t.Context(), fmt.Sprintf("1/room/%d/%d.sog", i%5, i), strings.NewReader(fmt.Sprint(i))); err != nil {
			t.Fatalf("put %d: %v", i, err)
		}
	}
	if got := content(t, s, "1/room/0/0.sog"); got != "before" {
		t.Errorf("before Commit: got %q, want the confirmed object", got)
	}
	if err := errors.Join(batch.Commit(), batch.Close()); err != nil {
		t.Fatalf("commit: %v", err)
	}
	for i := range count {
		if got, want := content(t, s, fmt.Sprintf("1/room/%d/%d.sog", i%5, i)), fmt.Sprint(i); got != want {
			t.Errorf("object %d: got %q, want %q", i, got, want)
		}
	}
	if got := s.incomingFiles(t); len(got) != 0 {
		t.Errorf("incoming: got %q, want nothing", got)
	}
}

func TestBatch_leaves_nothing_when_it_is_given_up(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	batch := s.Batch()
	if _, err := batch.Put(t.Context(), "1/room/a.sog", strings.NewReader("tile")); err != nil {
		t.Fatalf("put: %v", err)
	}
	if err := errors.Join(batch.Close(), batch.Close()); err != nil {
		t.Fatalf("close: %v", err)
	}
	if kept, incoming := keys(t, s, ""), s.incomingFiles(t); len(kept)+len(incoming) != 0 {
		t.Errorf("kept %q and %q, want nothing", kept, incoming)
	}
}

// A deletion may remove the folder of the objects while they are moved.
func TestBatch_makes_a_folder_that_was_deleted_again(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	from, err := s.newStaging()
	if err != nil {
		t.Fatalf("make a folder: %v", err)
	}
	moves := &mover{disk: s.Disk, from: from}
	t.Cleanup(func() { moves.close(); _ = from.close() })
	for _, key := range []string{"1/room/a.sog", "1/room/b.sog"} {
		name, _, err := from.write(t.Context(), strings.NewReader(key))
		if err != nil {
			t.Fatalf("write: %v", err)
		}
		if err := s.moveInto(moves.move, name, objectName(key)); err != nil {
			t.Fatalf("move to %s: %v", key, err)
		}
		if got := content(t, s, key); got != key {
			t.Errorf("%s: got %q", key, got)
		}
		if err := s.DeletePrefix(t.Context(), "1/room/"); err != nil {
			t.Fatalf("delete: %v", err)
		}
	}
}

// The start of another process removes the folder of a batch that crashed, and keeps the one
// of a batch that runs.
func TestOpenDisk_cleans_batches_that_crashed(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	crashed := filepath.Join(s.dir, incomingFolder, "CRASHED")
	if err := os.Mkdir(crashed, 0o750); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(crashed, "1"))
	batch := s.Batch()
	if _, err := batch.Put(t.Context(), "1/room/a.sog", strings.NewReader("tile")); err != nil {
		t.Fatalf("put: %v", err)
	}
	openDisk(t, s.options())
	if got := s.incomingFiles(t); len(got) != 1 || got[0] == crashed {
		t.Errorf("incoming: got %q, want the running batch only", got)
	}
	if err := errors.Join(batch.Commit(), batch.Close()); err != nil {
		t.Fatalf("commit: %v", err)
	}
	if got := content(t, s, "1/room/a.sog"); got != "tile" {
		t.Errorf("content: got %q", got)
	}
}
