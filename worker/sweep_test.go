package worker

import (
	"testing"
	"time"

	"portico/db"
	"portico/model"
)

// held returns how many bytes count for the account.
func (w *world) held(t *testing.T) int64 {
	t.Helper()
	storage, err := w.db.Storage(t.Context(), w.user.ID)
	if err != nil {
		t.Fatalf("storage: %v", err)
	}
	return storage.Used + storage.Promised
}

// Bytes count as long as they are in the store, also bytes of uploads that were never confirmed,
// and bytes that were sent again to the address of a removed upload.
func TestPurge_counts_bytes_in_the_store(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	worker := w.idle(t)
	purge := func(when string, want int64) {
		t.Helper()
		if err := worker.purge(t.Context(), time.Now()); err != nil {
			t.Fatalf("purge: got %v, want nil", err)
		}
		if got := w.held(t); got != want {
			t.Errorf("%s: got %d bytes that count, want %d", when, got, want)
		}
	}
	upload := w.promise(t, time.Now().Add(-time.Minute))
	purge("bytes that nobody confirmed", 3)
	w.put(t, upload.StorageKey()) // the client sends the bytes again after the upload was given up
	if _, err := w.db.MoveUpload(t.Context(), upload.ID, model.UploadPending, model.UploadDiscarded); err != nil {
		t.Fatal(err)
	}
	if err := w.db.AddRemoval(t.Context(), db.RemovalOf(upload)); err != nil {
		t.Fatal(err)
	}
	if got := w.held(t); got != 3 {
		t.Errorf("given up: got %d bytes that count, want 3", got)
	}
	purge("swept", 0)
	if got := w.objects(t); len(got) != 0 {
		t.Errorf("objects: got %v, want none", got)
	}
}
