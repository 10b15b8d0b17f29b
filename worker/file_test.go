package worker

import (
	"bytes"
	"context"
	"io"
	"path"
	"strings"
	"sync/atomic"
	"testing"

	"portico/model"
	"portico/storage"
)

func TestFile_is_read_to_its_end(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit(t, "scan.ply", bytes.NewReader(make([]byte, 3*readBuffer+1)))
	if job.Type != model.JobFile {
		t.Fatalf("job type: got %s, want %s", job.Type, model.JobFile)
	}
	w.start(t)
	file, upload := w.awaitCompleted(t, job.ID), w.upload(t, job)
	if file.ResourceKey != upload.ResourceKey || upload.State != model.UploadConfirmed {
		t.Errorf("file: got %q of a %s upload, want %q of a confirmed one", file.ResourceKey, upload.State, upload.ResourceKey)
	}
	w.checkKept(t, file, map[string]int64{path.Base(upload.ResourceKey): upload.Size})
}

func TestFile_that_the_store_has_damaged_fails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit(t, "scan.ply", strings.NewReader("ten bytes."))
	if _, err := w.store.Put(t.Context(), w.upload(t, job).StorageKey(), strings.NewReader("four")); err != nil {
		t.Fatalf("damage: %v", err)
	}
	if err := w.attempt(t, w.idle(t), job); err != nil {
		t.Errorf("work: got %v, want nil", err)
	}
	const want = "The file was damaged when the server stored it. Upload it again"
	if got := w.job(t, job.ID); got.Status != model.JobFailed || got.Error != want {
		t.Errorf("job: got %s with %q, want failed with %q", got.Status, got.Error, want)
	}
	w.checkNothingKept(t, job)
}

// openCounter is a store that counts the objects that are open.
type openCounter struct {
	storage.Store
	open atomic.Int64
}

// Open implements storage.Store.
func (s *openCounter) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	r, err := s.Store.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	s.open.Add(1)
	return countedReader{r, s}, nil
}

type countedReader struct {
	io.ReadCloser
	s *openCounter
}

// Close implements io.Closer.
func (r countedReader) Close() error {
	r.s.open.Add(-1)
	return r.ReadCloser.Close()
}

// The view may take hours, and with S3 an open object is a connection.
func TestFile_is_closed_before_its_view_is_stored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit(t, "scan.ply", strings.NewReader("sss"))
	store, open := &openCounter{Store: w.store}, int64(-1)
	worker := w.idle(t, withScript("good"), func(o *Options) {
		o.Store = afterPut{store, "lod-meta.json", func() { open = store.open.Load() }}
	})
	if err := w.attempt(t, worker, job); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	if open != 0 {
		t.Errorf("open objects when the view is stored: got %d, want 0", open)
	}
}

func TestProgressReader_reports_every_read(t *testing.T) {
	t.Parallel()
	var told []int64
	c := &progressReader{r: strings.NewReader("seven b"), notify: func(done int64) { told = append(told, done) }}
	n, err := io.CopyBuffer(writerOnly{io.Discard}, c, make([]byte, 3))
	if n != 7 || err != nil {
		t.Fatalf("copy: got %d, %v, want 7", n, err)
	}
	for i, want := range []int64{3, 6, 7, 7} {
		if i >= len(told) || told[i] != want {
			t.Fatalf("told: got %v, want 3, 6, 7 and the end", told)
		}
	}
}
