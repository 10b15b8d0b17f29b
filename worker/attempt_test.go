package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river/rivertype"

	"portico/db"
	"portico/model"
	"portico/splat"
	"portico/splat/archive"
	"portico/storage"
)

// idle returns a worker that takes no jobs from the queue. Tests pass it a job with attempt.
func (w *world) idle(t testing.TB, change ...func(*Options)) *Worker {
	t.Helper()
	o := w.options()
	o.Limits = archive.DefaultLimits()
	o.Limits.AnyTile = true
	for _, f := range change {
		f(&o)
	}
	return newWorker(o)
}

// attempt makes one attempt at a job and returns the result for River.
func (w *world) attempt(t testing.TB, worker *Worker, job *model.Job) error {
	t.Helper()
	return (&jobWorker{w: worker}).attemptJob(t.Context(), jobArgs{db.JobArgs{JobID: job.ID}}, &rivertype.JobRow{ID: 1})
}

// claim claims the job, as an attempt does, and leaves its work to the test.
func (w *world) claim(t testing.TB, job *model.Job) *attempt {
	t.Helper()
	claimed, err := w.db.Jobs().ClaimJob(t.Context(), job.ID)
	if err != nil || claimed == nil {
		t.Fatalf("claim: got %v, %v, want the job", claimed, err)
	}
	a := w.idle(t).newAttempt(claimed, w.log)
	a.upload = w.upload(t, job)
	return a
}

// A fault of the server is retried, up to the limit of attempts.
func TestAttempt_is_repeated_after_an_internal_error(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		put  func() error
	}{
		{"of the store", func() error { return errors.New("the disk hums") }},
		{"of our own code", func() error { panic("a bug") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := w.submitCapture(t, capture)
			var outcomes []Outcome
			bad := w.idle(t, func(o *Options) {
				o.Store, o.Observe = trouble{w.store, test.put}, func(a Attempt) { outcomes = append(outcomes, a.Outcome) }
			})
			for number := 1; number < db.JobAttempts; number++ {
				if err := w.attempt(t, bad, job); err == nil {
					t.Fatalf("attempt %d: got nil, want an error that makes River try again", number)
				}
				if got := w.job(t, job.ID); got.Status != model.JobProcessing || got.CountedAttempts != number || got.Attempt != number {
					t.Errorf("attempt %d: got %+v, want it processing at that attempt", number, got)
				}
			}
			if err := w.attempt(t, bad, job); err != nil {
				t.Errorf("last attempt: got %v, want nil", err)
			}
			got := w.job(t, job.ID)
			if got.Status != model.JobFailed || got.Error != model.InternalMessage {
				t.Errorf("job: got %s with %q, want failed with %q", got.Status, got.Error, model.InternalMessage)
			}
			if want := []Outcome{Retried, Retried, Retried, Failed}; !slices.Equal(outcomes, want) {
				t.Errorf("attempts as measured: got %q, want %q", outcomes, want)
			}
			w.checkNothingKept(t, job)
		})
	}
}

func TestAttempt_after_a_failed_one_completes_the_job(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	bad := w.idle(t, func(o *Options) { o.Store = &failing{Store: w.store, good: 3} })
	if err := w.attempt(t, bad, job); err == nil {
		t.Fatal("first attempt: got nil, want an error")
	}
	if err := w.attempt(t, w.idle(t), job); err != nil {
		t.Fatalf("second attempt: got %v, want nil", err)
	}
	w.checkKept(t, w.awaitCompleted(t, job.ID), captured(capture))
}

// Another attempt would end in the same way.
func TestAttempt_fails_without_another_try(t *testing.T) {
	t.Parallel()
	full := func() error { return fmt.Errorf("put: %w", storage.ErrFull) }
	for _, test := range []struct {
		name string
		make func(t *testing.T, w *world, job *model.Job) *Worker
		want string
	}{
		{"where the store is full", func(t *testing.T, w *world, _ *model.Job) *Worker {
			return w.idle(t, func(o *Options) { o.Store = trouble{w.store, full} })
		}, "The server has no storage left for this file"},
		{"where the bytes are gone", func(t *testing.T, w *world, job *model.Job) *Worker {
			if err := w.store.Delete(t.Context(), w.upload(t, job).StorageKey()); err != nil {
				t.Fatalf("delete: %v", err)
			}
			return w.idle(t)
		}, "Uploaded file not found"},
		{"after every attempt crashed its process", func(t *testing.T, w *world, job *model.Job) *Worker {
			for range db.JobAttempts {
				w.claim(t, job)
			}
			return w.idle(t)
		}, "Given up after 4 attempts. Try again, or ask the operator for help"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := w.submitCapture(t, capture)
			if err := w.attempt(t, test.make(t, w, job), job); err != nil {
				t.Errorf("work: got %v, want nil: no other attempt helps", err)
			}
			got := w.job(t, job.ID)
			if got.Status != model.JobFailed || got.Error != test.want {
				t.Errorf("job: got %s with %q, want failed with %q", got.Status, got.Error, test.want)
			}
			w.checkNothingKept(t, job)
		})
	}
}

func TestAttempt_that_takes_too_long_fails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	a := w.claim(t, job)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	if err := a.finish(ctx, a.run(ctx)); err != nil {
		t.Errorf("end: got %v, want nil", err)
	}
	if got, want := w.job(t, job.ID).Error, "Took longer than 6 hours"; got != want {
		t.Errorf("error: got %q, want %q", got, want)
	}
	w.checkNothingKept(t, job)
}

// A paused worker wakes up after another worker has taken its job. Nothing it does then may
// change the job or its files.
func TestAttempt_that_comes_late_changes_nothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		do   func(ctx context.Context, late *attempt) error
	}{
		{"working it all off", func(ctx context.Context, late *attempt) error { return late.finish(ctx, late.run(ctx)) }},
		{"reporting", func(ctx context.Context, late *attempt) error {
			current, err := late.db.Jobs().ReportJob(ctx, late.job.ID, late.job.Attempt, 50, model.JobStep{Name: model.JobReadingZip})
			if current {
				return errors.New("the report was taken")
			}
			return err
		}},
		{"failing", func(ctx context.Context, late *attempt) error { return late.finish(ctx, errors.New("late")) }},
		{"failing for good", func(ctx context.Context, late *attempt) error {
			return late.finish(ctx, &splat.InputError{Message: "late"})
		}},
		{"handing back", func(ctx context.Context, late *attempt) error {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return late.finish(ctx, ctx.Err())
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := w.submitCapture(t, capture)
			late, current := w.claim(t, job), w.claim(t, job)
			before := w.job(t, job.ID)
			err := test.do(t.Context(), late)
			t.Logf("River is told: %v", err)
			if diff := cmp.Diff(before, w.job(t, job.ID), sameJob); diff != "" {
				t.Errorf("job while the other attempt works (-want +got):\n%s", diff)
			}
			if got, want := w.upload(t, job).State, model.UploadProcessing; got != want {
				t.Errorf("upload: got %s, want %s", got, want)
			}
			if err := current.finish(t.Context(), current.run(t.Context())); err != nil {
				t.Fatalf("the other attempt: got %v, want nil", err)
			}
			w.checkKept(t, w.awaitCompleted(t, job.ID), captured(capture))
			// Again, after the job has ended.
			done := w.job(t, job.ID)
			err = test.do(t.Context(), late)
			t.Logf("River is told: %v", err)
			if diff := cmp.Diff(done, w.job(t, job.ID), sameJob); diff != "" {
				t.Errorf("job after the other attempt (-want +got):\n%s", diff)
			}
			w.checkKept(t, w.awaitCompleted(t, job.ID), captured(capture))
		})
	}
}

func TestAttempt_at_a_job_that_ended_does_nothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	w.cancel(t, job)
	if err := w.attempt(t, w.idle(t), job); err != nil {
		t.Errorf("canceled job: got %v, want nil", err)
	}
	if got := w.job(t, job.ID); got.Attempt != 0 || got.Error != "Canceled" {
		t.Errorf("job: got %+v, want it canceled before any attempt", got)
	}
	if err := w.attempt(t, w.idle(t), &model.Job{ID: "no such job"}); err != nil {
		t.Errorf("job that was purged: got %v, want nil", err)
	}
}

// cancel cancels a job as the resolver of cancelJob does.
func (w *world) cancel(t testing.TB, job *model.Job) {
	t.Helper()
	err := w.db.InTx(t.Context(), func(tx *db.DB) error {
		_, err := tx.Jobs().FailJobAndUpload(t.Context(), job.ID, 0, model.JobCanceled)
		return err
	})
	if err != nil {
		t.Fatalf("cancel: %v", err)
	}
}

func TestAttempt_stops_when_the_job_is_canceled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	store := stallAfter(w.store, 3)
	worker := w.start(t, func(o *Options) { o.Store = store })
	<-store.stalled
	w.await(t, job.ID, "reported", func(job *model.Job) bool { return job.Progress > 0 })
	began := time.Now()
	w.cancel(t, job)
	w.awaitObjects(t, nil)
	t.Logf("stopped after %v", time.Since(began))
	stop(t, worker)
	if got := w.job(t, job.ID); got.Status != model.JobFailed || got.Error != "Canceled" {
		t.Errorf("job: got %s with %q, want failed with Canceled", got.Status, got.Error)
	}
	w.checkNothingKept(t, job)
	if got := incoming(t, w.dir); len(got) != 0 {
		t.Errorf("incoming files: got %q, want none", got)
	}
}

// Deleting an account deletes its jobs and uploads, even while a worker works on them.
func TestAttempt_whose_rows_are_gone_leaves_nothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	store := stallAfter(w.store, 3)
	w.start(t, func(o *Options) { o.Store = store })
	<-store.stalled
	w.exec(t, "DELETE FROM users")
	w.awaitObjects(t, nil)
	if _, err := w.db.Jobs().Job(t.Context(), job.ID); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("job: got %v, want none", err)
	}
}

// fileArgsOf returns the arguments of background work on the file.
func fileArgsOf(file *model.File) fileArgs {
	return fileArgs{db.FileJobArgs{ResourceKey: file.ResourceKey}}
}
