package worker

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/model"
	"portico/storage"
)

// isConverted reports whether the file is a conversion's result with this name, in a folder that
// one attempt has created in the folder of the upload.
func isConverted(file *model.File, upload *model.Upload, name string) bool {
	below, ok := strings.CutPrefix(file.ResourceKey, upload.ExtractedRoot())
	attempt, rest, _ := strings.Cut(below, "/")
	return ok && attempt != "" && rest == name
}

// otherVersion is the store of a program of another version, whose conversions give other bytes. It
// calls a function of the test before it stores the first object.
type otherVersion struct {
	storage.Store
	first *sync.Once
	then  func()
}

// Put implements storage.Store.
func (s otherVersion) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	s.first.Do(s.then)
	return s.Store.Put(ctx, key, io.MultiReader(strings.NewReader("other "), r))
}

// A worker is paused past its lease, and stores its result after another attempt has completed.
func TestConversion_that_is_late_leaves_the_completed_result(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitTo(t, "scan.ply", "sss", model.ConvertToStreamedSOG)
	late := w.idle(t, withScript("good"), func(o *Options) {
		o.Store = otherVersion{w.store, new(sync.Once), func() {
			if err := w.attempt(t, w.idle(t, withScript("good")), job); err != nil {
				t.Errorf("second attempt: got %v, want nil", err)
			}
		}}
	})
	if err := w.attempt(t, late, job); err != nil {
		t.Errorf("late attempt: got %v, want nil", err)
	}
	w.checkKept(t, w.awaitCompleted(t, job.ID), streamed("sss"))
}

// The process is killed between the store and the database, and the next attempt completes the job.
func TestConversion_of_a_killed_process_is_removed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitTo(t, "scan.ply", "sss", model.ConvertToStreamedSOG)
	killed := w.idle(t, withScript("good"), func(o *Options) {
		o.Store = afterPut{w.store, "lod-meta.json", func() { panic("killed") }}
	})
	if err := w.attempt(t, killed, job); err == nil {
		t.Error("killed attempt: got nil, want an error")
	}
	if err := w.attempt(t, w.idle(t, withScript("good")), job); err != nil {
		t.Fatalf("second attempt: got %v, want nil", err)
	}
	file := w.awaitCompleted(t, job.ID)
	w.exec(t, "UPDATE removals SET due_at = now()")
	if err := w.idle(t).purge(t.Context(), time.Now()); err != nil {
		t.Fatalf("purge: got %v, want nil", err)
	}
	w.checkKept(t, file, streamed("sss"))
}
