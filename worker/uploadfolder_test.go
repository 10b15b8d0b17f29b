package worker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"sync/atomic"
	"testing"

	"portico/model"
	"portico/splat/splattest"
	"portico/storage"
	"portico/storage/disk"
)

// smallTiles is a capture of many small files, which are stored concurrently.
var smallTiles = splattest.Capture{Tiles: 3 * maxSmallPuts, TileBytes: 100}

// gate is a store whose Puts wait until the gate is open.
type gate struct {
	storage.Store
	waiting atomic.Int64
	limit   int64
	full    chan struct{} // closed when limit of them wait
	open    chan struct{} // closed by the test
}

// Put implements storage.Store.
func (s *gate) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if s.waiting.Add(1) == s.limit {
		close(s.full)
	}
	select {
	case <-s.open:
		return s.Store.Put(ctx, key, r)
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func TestZip_stores_files_at_the_same_time(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		capture splattest.Capture
		limit   int64
		// A file counts in the progress when it is stored, not when it is read.
		progress string
	}{
		"small":  {smallTiles, maxSmallPuts, "Extracting zip: 0 of 97 files"},
		"medium": {splattest.Capture{Tiles: 3 * maxMediumPuts, TileBytes: smallFile + 1}, maxMediumPuts, "Extracting zip: 0 of 13 files"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := w.submitCapture(t, test.capture)
			store := &gate{Store: w.store, limit: test.limit, full: make(chan struct{}), open: make(chan struct{})}
			w.start(t, func(o *Options) { o.Store = store })
			select {
			case <-store.full:
			case <-t.Context().Done():
			}
			w.await(t, job.ID, test.progress, func(job *model.Job) bool { return job.Message == test.progress })
			close(store.open)
			w.checkKept(t, w.awaitCompleted(t, job.ID), captured(test.capture))
		})
	}
}

func TestZip_stops_small_files_when_the_job_is_canceled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, smallTiles)
	store := &gate{Store: w.store, limit: maxSmallPuts, full: make(chan struct{}), open: make(chan struct{})}
	w.start(t, func(o *Options) { o.Store = store })
	<-store.full
	w.cancel(t, job)
	w.checkNothingKept(t, job)
}

// losing is a store whose batches cannot be committed.
type losing struct{ storage.Store }

// Batch returns a batch for storage.NewBatch.
func (s losing) Batch() storage.Batch { return losingBatch{storage.NewBatch(s.Store)} }

type losingBatch struct{ storage.Batch }

func (losingBatch) Commit() error {
	return errors.Join(storage.ErrFull, errors.New("the folders are not synced"))
}

// No job is completed before its objects survive a loss of power.
func TestJobs_fail_when_their_objects_are_not_stored_safely(t *testing.T) {
	t.Parallel()
	for name, submit := range map[string]func(*testing.T, *world) *model.Job{
		"extracted": func(t *testing.T, w *world) *model.Job { t.Helper(); return w.submitCapture(t, smallTiles) },
		"converted": func(t *testing.T, w *world) *model.Job {
			t.Helper()
			return w.submitTo(t, "scan.ply", "sss", model.ConvertToStreamedSOG)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := submit(t, w)
			w.start(t, withScript("good"), func(o *Options) { o.Store = losing{w.store} })
			got := w.awaitEnd(t, job.ID)
			if want := "The server has no storage left for this file"; got.Status != model.JobFailed || got.Error != want {
				t.Errorf("job: got %s with %q, want it failed with %q", got.Status, got.Error, want)
			}
			w.checkNothingKept(t, job)
		})
	}
}

// Grow of a buffer that is too small would double it.
func TestPutSlots_keep_no_buffer_that_is_larger_than_its_files(t *testing.T) {
	t.Parallel()
	slots := newPutSlots(maxMediumPuts)
	for size := int64(mediumFile / 2); size <= mediumFile; size += mediumFile / 8 {
		content := slots.content(size)
		if got, want := content.Cap(), int(size)+bytes.MinRead; got != want {
			t.Errorf("capacity for a file of %d bytes: got %d, want %d", size, got, want)
		}
		slots.contents.Put(content)
	}
}

func TestUploadFolder_stores_files_of_rising_and_falling_sizes(t *testing.T) {
	t.Parallel()
	store, err := disk.Open(disk.Options{Folder: t.TempDir(), BaseURL: "http://localhost", Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	folder := newUploadFolder(store, "user/upload", "")
	contents := map[string][]byte{}
	for i, size := range []int{1, 100, smallFile, 50, 0, smallFile + 1, mediumFile / 2, mediumFile, smallFile + 2, mediumFile - 1} {
		name := strconv.Itoa(i)
		contents[name] = bytes.Repeat([]byte{byte('a' + i)}, size)
		// With one file at a time, each uses the buffer of the one before.
		if err := errors.Join(folder.Put(t.Context(), name, int64(size), bytes.NewReader(contents[name])), folder.wait()); err != nil {
			t.Fatalf("put %d bytes: got %v, want no error", size, err)
		}
	}
	if err := errors.Join(folder.commit(), folder.close()); err != nil {
		t.Fatal(err)
	}
	for name, want := range contents {
		object, err := store.Open(t.Context(), "user/upload/"+name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(object)
		if err := errors.Join(err, object.Close()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("file %s: got %d bytes, %v, want the %d bytes that were put", name, len(got), err, len(want))
		}
	}
}

// failingAfter is a store whose Put fails after a number of objects.
type failingAfter struct {
	storage.Store
	good atomic.Int64
	err  error
}

// Put implements storage.Store.
func (s *failingAfter) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if s.good.Add(-1) < 0 {
		return 0, s.err
	}
	return s.Store.Put(ctx, key, r)
}

func TestZip_fails_whole_when_a_small_file_cannot_be_stored(t *testing.T) {
	t.Parallel()
	for name, good := range map[string]int64{"first": 0, "middle": maxSmallPuts + 5, "last": 3*maxSmallPuts - 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := w.submitCapture(t, smallTiles)
			store := &failingAfter{Store: w.store, err: errors.Join(storage.ErrFull, errors.New("the disk is full"))}
			store.good.Store(good)
			w.start(t, func(o *Options) { o.Store = store })
			got := w.awaitEnd(t, job.ID)
			if want := "The server has no storage left for this file"; got.Status != model.JobFailed || got.Error != want {
				t.Errorf("job: got %s with %q, want it failed with %q", got.Status, got.Error, want)
			}
			w.checkNothingKept(t, job)
		})
	}
}
