package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/storage/storagetest"
)

// What is safe after Commit is what Put alone makes safe: the names in all folders on the
// way, each synced after the last name in it.
func TestBatch_syncs_each_folder_once(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	batch := s.Batch().(*batch)
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
	batch := s.Batch().(*batch)
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
	storagetest.Put(t, s, "1/room/0/0.sog", "before")
	batch := s.Batch()
	const count = 3 * maxSingleSyncs
	for i := range count {
		if _, err := batch.Put(t.Context(), fmt.Sprintf("1/room/%d/%d.sog", i%5, i), strings.NewReader(fmt.Sprint(i))); err != nil {
			t.Fatalf("put %d: %v", i, err)
		}
	}
	if got := storagetest.Content(t, s, "1/room/0/0.sog"); got != "before" {
		t.Errorf("before Commit: got %q, want the confirmed object", got)
	}
	if err := errors.Join(batch.Commit(), batch.Close()); err != nil {
		t.Fatalf("commit: %v", err)
	}
	for i := range count {
		if got, want := storagetest.Content(t, s, fmt.Sprintf("1/room/%d/%d.sog", i%5, i)), fmt.Sprint(i); got != want {
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
	if kept, incoming := storagetest.Keys(t, s, ""), s.incomingFiles(t); len(kept)+len(incoming) != 0 {
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
	moves := &mover{disk: s.Store, from: from}
	t.Cleanup(func() { moves.close(); _ = from.close() })
	for _, key := range []string{"1/room/a.sog", "1/room/b.sog"} {
		name, _, err := from.write(t.Context(), strings.NewReader(key))
		if err != nil {
			t.Fatalf("write: %v", err)
		}
		if err := s.moveInto(moves.move, name, objectName(key)); err != nil {
			t.Fatalf("move to %s: %v", key, err)
		}
		if got := storagetest.Content(t, s, key); got != key {
			t.Errorf("%s: got %q", key, got)
		}
		if err := s.DeletePrefix(t.Context(), "1/room/"); err != nil {
			t.Fatalf("delete: %v", err)
		}
	}
}

// The start of another process removes the folder of a batch that crashed, and keeps the one
// of a batch that runs.
func TestOpen_cleans_batches_that_crashed(t *testing.T) {
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
	openStore(t, s.options())
	if got := s.incomingFiles(t); len(got) != 1 || got[0] == crashed {
		t.Errorf("incoming: got %q, want the running batch only", got)
	}
	if err := errors.Join(batch.Commit(), batch.Close()); err != nil {
		t.Fatalf("commit: %v", err)
	}
	if got := storagetest.Content(t, s, "1/room/a.sog"); got != "tile" {
		t.Errorf("content: got %q", got)
	}
}
