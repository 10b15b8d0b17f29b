package worker

import (
	"context"
	"database/sql/driver"
	"errors"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"portico/db"
	"portico/internal/testkit/postgres"
	"portico/model"
	"portico/splat"
	"portico/splat/splattest"
	"portico/storage"
)

// An attempt that an outage ends is not counted, however often this happens.
func TestAttempt_outlasts_an_outage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	away := w.idle(t, func(o *Options) { o.Store = lost{w.store} })
	for range db.JobAttempts + 1 {
		err := w.attempt(t, away, job)
		if snooze, ok := errors.AsType[*river.JobSnoozeError](err); !ok || snooze.Duration < time.Second {
			t.Fatalf("attempt: got %v, want it to be made again after a while", err)
		}
		if got := w.job(t, job.ID); got.Status != model.JobQueued || got.CountedAttempts != 0 {
			t.Errorf("job: got %s after %d attempts, want it queued after none", got.Status, got.CountedAttempts)
		}
	}
	if err := w.attempt(t, w.idle(t), job); err != nil {
		t.Fatalf("attempt after the outage: got %v, want nil", err)
	}
	w.checkKept(t, w.awaitCompleted(t, job.ID), captured(capture))
}

// A store that answers but refuses one object is not an outage: trying for a day would change
// nothing.
func TestAttempt_whose_object_the_store_refuses_uses_up_its_attempts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	refusing := w.idle(t, func(o *Options) { o.Store = trouble{w.store, lost{}.unavailable} })
	for number := range db.JobAttempts - 1 {
		if err := w.attempt(t, refusing, job); !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("attempt %d: got %v, want an error that makes River try again", number+1, err)
		}
	}
	if err := w.attempt(t, refusing, job); err != nil {
		t.Errorf("last attempt: got %v, want nil", err)
	}
	if got := w.job(t, job.ID).Status; got != model.JobFailed {
		t.Errorf("job: got %s, want it failed", got)
	}
}

func TestAttempt_that_is_canceled_in_an_outage_leaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	a := w.claim(t, job)
	w.cancel(t, job)
	if err := a.postpone(t.Context(), time.Second, storage.ErrUnavailable); err != nil || a.outcome != Canceled {
		t.Errorf("postpone: got %v and outcome %q, want it left", err, a.outcome)
	}
}

// The response is lost more than maxOutage after the job was created, so it is not an outage for
// which the job waits.
func TestAttempt_has_completed_an_old_job_whose_answer_was_lost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claimed := w.claim(t, w.submitCapture(t, capture)).job
	losing := open(t, postgres.LosingCommits(t, w.url, "SET status = 'completed'"), w.log)
	a := w.idle(t, func(o *Options) { o.DB = losing }).newAttempt(claimed, w.log)
	err := a.run(t.Context())
	if !db.MayBeCommitted(err) {
		t.Fatalf("complete the job: got %v, want a lost response to the commit", err)
	}
	a.job.CreatedAt = model.Time{Time: time.Now().Add(-maxOutage)}
	if err := a.finish(t.Context(), err); err != nil || a.outcome != Completed {
		t.Errorf("finish: got %v and outcome %q, want nil and %q", err, a.outcome, Completed)
	}
}

// The test makes the write whose response is lost. The attempt repeats it.
func TestAttempt_knows_a_write_whose_answer_was_lost(t *testing.T) {
	t.Parallel()
	t.Run("that queued the job", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		job := w.submitCapture(t, capture)
		a := w.claim(t, job)
		if queued, err := w.db.Jobs().RequeueJob(t.Context(), job.ID, a.job.Attempt); err != nil || !queued {
			t.Fatalf("queue the job: got %v, %v, want true", queued, err)
		}
		err := a.postpone(t.Context(), time.Second, storage.ErrUnavailable)
		if _, ok := errors.AsType[*river.JobSnoozeError](err); !ok || a.outcome != Postponed {
			t.Errorf("postpone: got %v and outcome %q, want it postponed", err, a.outcome)
		}
		if got := w.job(t, job.ID); got.CountedAttempts != 0 {
			t.Errorf("counted attempts: got %d, want 0", got.CountedAttempts)
		}
	})
	t.Run("that completed the job", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		job := w.submitCapture(t, capture)
		a := w.claim(t, job)
		if err := a.run(t.Context()); err != nil {
			t.Fatalf("complete the job: %v", err)
		}
		if err := a.finish(t.Context(), driver.ErrBadConn); err != nil || a.outcome != Completed {
			t.Errorf("finish: got %v and outcome %q, want nil and %q", err, a.outcome, Completed)
		}
	})
	t.Run("that failed the job", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		job := w.submitCapture(t, capture)
		a := w.claim(t, job)
		const reason = "It has no points"
		err := w.db.InTx(t.Context(), func(tx *db.DB) error {
			_, err := tx.Jobs().FailJobAndUpload(t.Context(), job.ID, a.job.Attempt, reason)
			return err
		})
		if err != nil {
			t.Fatalf("fail the job: %v", err)
		}
		if err := a.finish(t.Context(), &splat.InputError{Message: reason}); err != nil || a.outcome != Failed {
			t.Errorf("finish: got %v and outcome %q, want nil and %q", err, a.outcome, Failed)
		}
		w.checkNothingKept(t, job)
	})
}

// The process may stop while the attempt removes the upload of its canceled job.
func TestAttempt_that_is_canceled_in_an_outage_leaves_nothing_when_the_process_stops(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	a := w.claim(t, job)
	w.cancel(t, job)
	ctx, stop := context.WithCancel(t.Context())
	a.remover.store = stopping{w.store, stop}
	if err := a.postpone(ctx, time.Second, storage.ErrUnavailable); err != nil {
		t.Errorf("postpone: got %v, want nil", err)
	}
	w.checkNothingKept(t, job)
}

// stopping is a store whose first removal stops the process.
type stopping struct {
	storage.Store
	stop context.CancelFunc
}

// Delete implements storage.Store.
func (s stopping) Delete(ctx context.Context, key string) error {
	s.stop()
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.Store.Delete(ctx, key)
}

// If the store becomes unavailable while a zip is read, the zip is not reported as damaged.
func TestAttempt_outlasts_an_outage_at_any_read(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	large := splattest.Capture{Folder: "export", Tiles: 3, TileBytes: 1 << 20}
	job := w.submitCapture(t, large)
	for reads := int64(0); ; reads++ {
		store := &torn{Store: w.store}
		store.good.Store(reads)
		err := w.attempt(t, w.idle(t, func(o *Options) { o.Store = store }), job)
		if err == nil && store.good.Load() >= 0 {
			if reads < 3 {
				t.Errorf("reads of the zip: got %d, want some", reads)
			}
			break
		}
		if _, ok := errors.AsType[*river.JobSnoozeError](err); !ok {
			t.Fatalf("away after %d reads: got %v, want it to be tried again", reads, err)
		}
	}
	w.checkKept(t, w.awaitCompleted(t, job.ID), captured(large))
}
