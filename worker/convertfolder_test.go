package worker

import (
	"context"
	"errors"
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

// sizeOf returns the size of these objects together, in bytes.
func sizeOf(objects map[string]int64) (total int64) {
	for _, size := range objects {
		total += size
	}
	return total
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

// A worker is paused past its lease during the conversion. Its result would count in the quota,
// beside the result of the attempt that runs.
func TestConversion_that_has_lost_its_job_stores_nothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitTo(t, "scan.ply", "sss", model.ConvertToStreamedSOG)
	late := w.claim(t, job)
	w.claim(t, job)
	if _, err := late.storeConverted(t.Context(), &stagedResult{folder: t.TempDir(), bytes: 18}); !errors.Is(err, errLost) {
		t.Errorf("store: got %v, want %v", err, errLost)
	}
	if got, want := w.held(t), w.upload(t, job).Size; got != want {
		t.Errorf("got %d bytes that count, want the %d of the upload", got, want)
	}
}

func (w *world) setQuota(t *testing.T, bytes int64) {
	t.Helper()
	w.user.Quota = bytes
	if err := w.db.Accounts().UpdateUser(t.Context(), w.user); err != nil {
		t.Fatalf("update user: %v", err)
	}
}

// duringStore returns a worker that makes an attempt at the other job after it has stored all
// objects of a conversion, before it completes the job.
func (w *world) duringStore(t *testing.T, other *model.Job) *Worker {
	t.Helper()
	return w.idle(t, withScript("good"), func(o *Options) {
		o.Store = afterPut{w.store, "lod-meta.json", func() {
			if err := w.attempt(t, w.idle(t, withScript("good")), other); err != nil {
				t.Errorf("attempt at the other job: got %v, want nil", err)
			}
		}}
	})
}

// There is room for both results, but not for the uploads beside them.
func TestConversions_at_the_same_time_count_once(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.setQuota(t, 2*sizeOf(streamed("sss")))
	first := w.submitTo(t, "first.ply", "sss", model.ConvertToStreamedSOG)
	second := w.submitTo(t, "second.ply", "sss", model.ConvertToStreamedSOG)
	if err := w.attempt(t, w.duringStore(t, second), first); err != nil {
		t.Errorf("first job: got %v, want nil", err)
	}
	w.awaitCompleted(t, second.ID)
	w.awaitCompleted(t, first.ID)
	w.awaitUsed(t, w.user.Quota)
}

// There is room for one of the two results.
func TestConversions_at_the_same_time_leave_the_room_to_the_first_that_ends(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	slow := w.convert(t, w.addFile(t, "slow.ply", "sss"), model.ConvertToStreamedSOG)
	quick := w.convert(t, w.addFile(t, "quick.ply", "sss"), model.ConvertToStreamedSOG)
	w.setQuota(t, w.held(t)+2*sizeOf(streamed("sss"))-1)
	if err := w.attempt(t, w.duringStore(t, quick), slow); err != nil {
		t.Errorf("slow job: got %v, want nil", err)
	}
	w.awaitCompleted(t, quick.ID)
	if got := w.awaitEnd(t, slow.ID); got.Status != model.JobFailed || !strings.Contains(got.Error, model.QuotaExceeded) {
		t.Errorf("slow job: got %s with %q, want it failed with %q", got.Status, got.Error, model.QuotaExceeded)
	}
	w.awaitUsed(t, 2*3+sizeOf(streamed("sss")))
}

// killConversion makes an attempt at the conversion whose process is killed between the store and
// the database. Once another process has noticed, the bytes of the upload and of the result count.
func (w *world) killConversion(t *testing.T, job *model.Job, result int64) {
	t.Helper()
	killed := w.idle(t, withScript("good"), func(o *Options) {
		o.Store = afterPut{w.store, "lod-meta.json", func() { panic("killed") }}
	})
	if err := w.attempt(t, killed, job); err == nil {
		t.Error("killed attempt: got nil, want an error")
	}
	w.exec(t, "UPDATE river_job SET state = 'running', attempted_at = now() - interval '1 hour' WHERE kind = 'job'")
	if n, err := w.db.Queue().RescueJobs(t.Context(), time.Minute); n != 1 || err != nil {
		t.Errorf("rescue jobs: got %d and %v, want the job", n, err)
	}
	if got, want := w.held(t), w.upload(t, job).Size+result; got != want {
		t.Errorf("after the killed attempt: got %d bytes that count, want %d", got, want)
	}
}

// The account has room for one result only.
func TestConversion_removes_the_result_of_a_killed_attempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.setQuota(t, sizeOf(streamed("sss")))
	job := w.submitTo(t, "scan.ply", "sss", model.ConvertToStreamedSOG)
	w.killConversion(t, job, w.user.Quota)
	if err := w.attempt(t, w.idle(t, withScript("good")), job); err != nil {
		t.Fatalf("second attempt: got %v, want nil", err)
	}
	w.checkKept(t, w.awaitCompleted(t, job.ID), streamed("sss"))
}

func TestConversion_that_is_canceled_frees_the_bytes_of_a_killed_attempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitTo(t, "scan.ply", "sss", model.ConvertToStreamedSOG)
	w.killConversion(t, job, sizeOf(streamed("sss")))
	w.cancel(t, job)
	if err := w.idle(t).purge(t.Context(), time.Now()); err != nil {
		t.Fatalf("purge: got %v, want nil", err)
	}
	w.awaitObjects(t, map[string]int64{w.upload(t, job).StorageKey(): 3})
	if got := w.held(t); got != 3 {
		t.Errorf("got %d bytes that count, want 3: the address of the upload works on", got)
	}
}
