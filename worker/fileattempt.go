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

// fileAttempt is one attempt at background work on a file.
type fileAttempt struct {
	db      *db.DB
	store   storage.Store
	tools   *attemptTools
	row     *rivertype.JobRow
	args    fileArgs
	work    fileWork
	log     *slog.Logger
	started time.Time
}

// run does the work. It returns the outcome of the attempt and what River expects of a worker: nil
// ends River's job; an error or a snooze runs it again.
func (a *fileAttempt) run(ctx context.Context) (Outcome, error) {
	// River also counts attempts whose process was killed.
	if a.row.Attempt > db.JobAttempts {
		return a.giveUp(ctx, errAttemptsUsedUp, failure{model.InternalMessage, slog.LevelError})
	}
	return a.finish(ctx, a.doWork(ctx))
}

// doWork does the work, unless the file was deleted. It returns a panic as an error, so that it
// fails this file only.
func (a *fileAttempt) doWork(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	file, err := a.db.Files().AnyFile(ctx, a.args.ResourceKey)
	if err != nil || file == nil {
		return err
	}
	err = a.work.do(a.tools, ctx, file, a.args)
	if errors.Is(err, storage.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		// The file may have been deleted during the work, which is not an error.
		if current, lookup := a.db.Files().AnyFile(ctx, a.args.ResourceKey); lookup == nil && current == nil {
			return nil
		}
	}
	return err
}

// finish ends the attempt, given the error of doWork. It returns the same as run.
func (a *fileAttempt) finish(ctx context.Context, err error) (Outcome, error) {
	a.log = a.log.With(a.tools.used.Attributes()...).With("duration", time.Since(a.started))
	if err == nil {
		a.log.Info("background work done")
		return Completed, nil
	}
	// A further attempt would take as long. The error says only that the child was ended.
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return a.giveUp(ctx, err, timeLimitFailure)
	}
	// This comes before the failures, because an interruption must not count as one of the file.
	if interruption, snooze := a.interruption(ctx, err); snooze != nil {
		return interruption, snooze
	}
	if failure, final := failureOf(err); final || a.row.Attempt >= db.JobAttempts {
		return a.giveUp(ctx, err, failure)
	}
	a.log.Warn("file will be tried again", "error", err)
	return Retried, err
}

// giveUp ends the last attempt: it logs the cause, and stores the reason that clients see. It
// returns the same as run.
func (a *fileAttempt) giveUp(ctx context.Context, cause error, f failure) (Outcome, error) {
	a.log.Log(ctx, f.level, "file given up", "error", cause)
	finishing, cancel := finishingContext(ctx) // the reason of a time limit is stored after it
	defer cancel()
	err := a.storeFailure(finishing, f.reason)
	// There is no further attempt that would find the reason again, so this one must not count.
	if interruption, snooze := a.interruption(ctx, err); snooze != nil {
		return interruption, snooze
	}
	return Failed, err
}

// storeFailure stores why the work was given up. It stores nothing if the file was deleted.
func (a *fileAttempt) storeFailure(ctx context.Context, reason string) error {
	file, err := a.db.Files().AnyFile(ctx, a.args.ResourceKey)
	if err != nil || file == nil {
		return err
	}
	return a.work.giveUp(a.tools, ctx, file, a.args, reason)
}

// interruption returns the outcome and the snooze of an attempt whose error says nothing about the
// file: the stopping process has cut it short, or the store or the database is unavailable. A
// snooze does not count as an attempt. It is nil for every other error, and without an error.
func (a *fileAttempt) interruption(ctx context.Context, err error) (Outcome, error) {
	if err == nil {
		return "", nil
	}
	if errors.Is(ctx.Err(), context.Canceled) { // the process stops
		return HandedBack, river.JobSnooze(0)
	}
	if wait, ok := outage(ctx, a.store, err, a.row.CreatedAt, a.started); ok {
		a.log.Warn("file waits for the end of an outage", "wait", wait, "error", err)
		return Postponed, river.JobSnooze(wait)
	}
	return "", nil
}
