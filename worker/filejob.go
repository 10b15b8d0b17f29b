package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"portico/db"
	"portico/model"
	"portico/storage"
)

// fileArgs are the arguments that db.EnqueuePreparation, db.EnqueueView and
// db.EnqueueCollision store with a job of River.
type fileArgs struct{ db.FileJobArgs }

// args returns the arguments of every kind of background work in the same form.
func (f fileArgs) args() fileArgs { return f }

// preparationArgs are the arguments of the job that stores a file's facts and posters.
type preparationArgs struct{ fileArgs }

// Kind implements river.JobArgs.
func (preparationArgs) Kind() string { return db.PreparationKind }

// viewArgs are the arguments of the job that makes a file's view.
type viewArgs struct{ fileArgs }

// Kind implements river.JobArgs.
func (viewArgs) Kind() string { return db.ViewKind }

// collisionArgs are the arguments of the job that makes a file's collision.
type collisionArgs struct{ fileArgs }

// Kind implements river.JobArgs.
func (collisionArgs) Kind() string { return db.CollisionKind }

// hasFileArgs is implemented by the arguments of each kind of background work on a file.
type hasFileArgs interface {
	river.JobArgs
	args() fileArgs
}

// fileWorker does one kind of background work on files.
type fileWorker[A hasFileArgs] struct {
	river.WorkerDefaults[A]
	w    *Worker
	work fileWork
}

// NextRetry implements river.Worker.
func (f *fileWorker[A]) NextRetry(job *river.Job[A]) time.Time { return nextRetry(job.Attempt) }

// Work implements river.Worker.
func (f *fileWorker[A]) Work(ctx context.Context, job *river.Job[A]) error {
	return f.w.runFileJob(ctx, job.JobRow, job.Args.args(), f.work)
}

// fileWork is a kind of background work on a file.
type fileWork struct {
	// do makes one attempt at the work.
	do func(*attemptTools, context.Context, *model.File) error
	// step is what clients see as failed when the work is given up.
	step model.PreparationStep
}

// What the job of each queue does with its file, and the step that has failed when it is given up.
var (
	preparationWork = fileWork{do: (*attemptTools).prepare, step: model.StepPoster}
	viewWork        = fileWork{do: (*attemptTools).addView, step: model.StepView}
	collisionWork   = fileWork{do: (*attemptTools).addCollision, step: model.StepCollision}
)

// runFileJob makes one attempt at background work on a file. Clients see no job for it.
// An error makes River try again later.
//
// Unlike a job, background work has no row of its own besides River's. River counts its attempts,
// and the row of the file says what is still missing, so work that was enqueued twice, or is done
// by two workers, does no harm.
func (w *Worker) runFileJob(ctx context.Context, row *rivertype.JobRow, args fileArgs, work fileWork) error {
	defer w.holdLease(row.ID)()
	log := w.Logger.With("kind", row.Kind, "resource_key", args.ResourceKey, "attempt", row.Attempt)
	started := time.Now()
	tools := w.newAttemptTools(row.Kind, log)
	defer tools.close()
	ctx, span := w.startSpan(ctx, args.TraceParent)
	outcome := Completed
	defer func() {
		w.observe(row.Kind, row, started, outcome)
		endSpan(span, row.Kind, outcome)
	}()
	giveUp := func(cause error, f failure) error {
		outcome = Failed
		log.Log(ctx, f.level, "file given up", "error", cause)
		finishing, cancel := finishingContext(ctx) // the reason of a time limit is stored after it
		defer cancel()
		err := tools.giveUp(finishing, args.ResourceKey, work.step, f.reason)
		// There is no further attempt that would find the reason again, so this one must not count.
		if interruption, snooze := w.interruption(ctx, log, row, started, err); snooze != nil {
			outcome, err = interruption, snooze
		}
		return err
	}
	// River also counts attempts whose process was killed.
	if row.Attempt > db.JobAttempts {
		return giveUp(errAttemptsUsedUp, failure{model.InternalMessage, slog.LevelError})
	}
	err := tools.runOn(ctx, args.ResourceKey, work.do)
	log = log.With(tools.used.Attributes()...).With("duration", time.Since(started))
	if err == nil {
		log.Info("background work done")
		return nil
	}
	// A further attempt would take as long. The error says only that the child was ended.
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return giveUp(err, timeLimitFailure)
	}
	// This comes before the failures, because an interruption must not count as one of the file.
	if interruption, snooze := w.interruption(ctx, log, row, started, err); snooze != nil {
		outcome = interruption
		return snooze
	}
	if failure, final := failureOf(err); final || row.Attempt >= db.JobAttempts {
		return giveUp(err, failure)
	}
	outcome = Retried
	log.Warn("file will be tried again", "error", err)
	return err
}

// interruption returns the outcome and the snooze of an attempt whose error says nothing about the
// file: the stopping process has cut it short, or the store or the database is unavailable. A
// snooze does not count as an attempt. It is nil for every other error, and without an error.
func (w *Worker) interruption(ctx context.Context, log *slog.Logger, row *rivertype.JobRow, started time.Time, err error) (Outcome, error) {
	if err == nil {
		return "", nil
	}
	if errors.Is(ctx.Err(), context.Canceled) { // the process stops
		return HandedBack, river.JobSnooze(0)
	}
	if wait, ok := outage(ctx, w.Store, err, row.CreatedAt, started); ok {
		log.Warn("file waits for the end of an outage", "wait", wait, "error", err)
		return Postponed, river.JobSnooze(wait)
	}
	return "", nil
}

// runOn calls step with the file, unless the file was deleted. It returns a panic as an error, so
// that it fails this file only.
func (t *attemptTools) runOn(ctx context.Context, key string, step func(*attemptTools, context.Context, *model.File) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	file, err := t.db.AnyFile(ctx, key)
	if err != nil || file == nil {
		return err
	}
	err = step(t, ctx, file)
	if errors.Is(err, storage.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		// The file may have been deleted during the work, which is not an error.
		if current, lookup := t.db.AnyFile(ctx, key); lookup == nil && current == nil {
			return nil
		}
	}
	return err
}

// giveUp stores why the step of the file's preparation was given up. It stores nothing if the file
// was deleted. A file without facts failed at them, whatever step was asked for: all others need
// the facts.
func (t *attemptTools) giveUp(ctx context.Context, key string, step model.PreparationStep, reason string) error {
	file, err := t.db.AnyFile(ctx, key)
	if err != nil || file == nil {
		return err
	}
	if file.Facts == nil {
		step = model.StepFacts
	}
	return t.db.SetFailure(ctx, file, step, reason)
}
