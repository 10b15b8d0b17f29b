package worker

import (
	"context"
	"errors"
	"testing"
	"time"

	"portico/db"
	"portico/model"
	"portico/storage"
)

// held returns how many bytes count for the account.
func (w *world) held(t *testing.T) int64 {
	t.Helper()
	storage, err := w.db.Accounts().Storage(t.Context(), w.user.ID)
	if err != nil {
		t.Fatalf("storage: %v", err)
	}
	return storage.Used + storage.Reserved
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
	w.put(t, upload.StorageKey()) // the client sends the bytes again after the upload was discarded
	if _, err := w.db.Uploads().MoveUpload(t.Context(), upload.ID, model.UploadPending, model.UploadDiscarded); err != nil {
		t.Fatal(err)
	}
	if err := w.db.Files().AddRemoval(t.Context(), db.RemovalOf(upload)); err != nil {
		t.Fatal(err)
	}
	if got := w.held(t); got != 3 {
		t.Errorf("discarded: got %d bytes that count, want 3", got)
	}
	purge("swept", 0)
	if got := w.objects(t); len(got) != 0 {
		t.Errorf("objects: got %v, want none", got)
	}
}

// An upload whose bytes cannot be looked for is looked for again, and the others count at once.
func TestPurge_counts_received_bytes_although_one_upload_fails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 3 {
		w.promise(t, time.Now().Add(-time.Minute))
	}
	store := &failingStat{Store: w.store}
	worker := w.idle(t, func(o *Options) { o.Store = store })
	if _, err := worker.recordReceivedUploads(t.Context()); !errors.Is(err, errStat) {
		t.Errorf("record received uploads: got %v, want %v", err, errStat)
	}
	if got := w.held(t); got != 6 {
		t.Errorf("bytes that count: got %d, want the 6 of two uploads", got)
	}
}

var errStat = errors.New("the disk hums")

// failingStat is a store whose first Stat fails.
type failingStat struct {
	storage.Store
	failed bool
}

// Stat implements storage.Store.
func (s *failingStat) Stat(ctx context.Context, key string) (storage.Object, error) {
	if !s.failed {
		s.failed = true
		return storage.Object{}, errStat
	}
	return s.Store.Stat(ctx, key)
}

// A bucket may take a second for each upload, and a batch has a minute.
func TestPurge_looks_for_received_bytes_in_small_batches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const uploads = 2*storeBatch + 1
	for range uploads {
		w.promise(t, time.Now().Add(-time.Minute))
	}
	store := &countedStats{Store: w.store}
	worker := w.idle(t, func(o *Options) { o.Store = store })
	n, err := worker.recordReceivedUploads(t.Context())
	if err != nil || n != storeBatch || store.calls != storeBatch {
		t.Errorf("one batch: got %d uploads after %d calls of Stat, %v, want %d of each", n, store.calls, err, storeBatch)
	}
	if err := worker.purge(t.Context(), time.Now()); err != nil || store.calls != uploads {
		t.Errorf("purge: got %d calls of Stat, %v, want %d", store.calls, err, uploads)
	}
}

// countedStats is a store that counts the calls of Stat.
type countedStats struct {
	storage.Store
	calls int
}

// Stat implements storage.Store.
func (s *countedStats) Stat(ctx context.Context, key string) (storage.Object, error) {
	s.calls++
	return s.Store.Stat(ctx, key)
}
