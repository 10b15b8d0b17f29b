package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"portico/db"
	"portico/model"
	"portico/storage"
)

// fileArgs is what db.EnqueuePreparation and db.EnqueueView give River to keep.
type fileArgs struct {
	ResourceKey string `json:"resource_key"`
	TraceParent string `json:"traceparent"`
}

// preparationArgs are the arguments of looking into a file.
type preparationArgs struct{ fileArgs }

// Kind implements river.JobArgs.
func (preparationArgs) Kind() string { return db.PreparationKind }

// viewArgs are the arguments of making a view.
type viewArgs struct{ fileArgs }

// Kind implements river.JobArgs.
func (viewArgs) Kind() string { return db.ViewKind }

// preparationWorker looks into files.
type preparationWorker struct {
	river.WorkerDefaults[preparationArgs]
	w *Worker
}

// NextRetry implements river.Worker.
func (p *preparationWorker) NextRetry(job *river.Job[preparationArgs]) time.Time {
	return nextRetry(job.Attempt)
}

// Work implements river.Worker.
func (p *preparationWorker) Work(ctx context.Context, job *river.Job[preparationArgs]) error {
	return p.w.runFileJob(ctx, job.JobRow, job.Args.fileArgs, (*workspace).prepare)
}

// viewWorker makes views.
type viewWorker struct {
	river.WorkerDefaults[viewArgs]
	w *Worker
}

// NextRetry implements river.Worker.
func (v *viewWorker) NextRetry(job *river.Job[viewArgs]) time.Time { return nextRetry(job.Attempt) }

// Work implements river.Worker.
func (v *viewWorker) Work(ctx context.Context, job *river.Job[viewArgs]) error {
	return v.w.runFileJob(ctx, job.JobRow, job.Args.fileArgs, (*workspace).view)
}

// runFileJob makes one attempt at work on a file, for which clients see no job. An
// error makes River try again later.
func (w *Worker) runFileJob(ctx context.Context, row *rivertype.JobRow, of fileArgs, do func(*workspace, context.Context, *model.File) error) error {
	defer w.hold(row.ID)()
	log := w.Logger.With("kind", row.Kind, "resource_key", of.ResourceKey, "attempt", row.Attempt)
	// Attempts that ended with their process count too.
	if row.Attempt > db.JobAttempts {
		log.Error("file given up", "error", "all attempts ended with their process")
		return nil
	}
	began := time.Now()
	s := w.newWorkspace(row.Kind, log)
	defer s.close()
	ctx, span := w.span(ctx, of.TraceParent)
	err := s.try(ctx, of.ResourceKey, do)
	outcome := Completed
	defer func() {
		w.observe(row.Kind, row, began, outcome)
		endSpan(span, row.Kind, outcome)
	}()
	log = log.With(s.used.Attributes()...).With("duration", time.Since(began))
	if err == nil {
		log.Info("file prepared")
		return nil
	}
	if errors.Is(ctx.Err(), context.Canceled) { // the process stops
		outcome = HandedBack
		return river.JobSnooze(0)
	}
	if wait, ok := outage(ctx, w.Store, err, row.CreatedAt, began); ok {
		outcome = Postponed
		log.Warn("file waits for the end of an outage", "wait", wait, "error", err)
		return river.JobSnooze(wait) // which takes the attempt off again
	}
	if _, final := judge(err); final || row.Attempt >= db.JobAttempts {
		outcome = Failed
		log.Warn("file given up", "error", err)
		return nil
	}
	outcome = Retried
	log.Warn("file will be tried again", "error", err)
	return err
}

// try carries out the work on a file that is still there. As with jobs, a panic
// costs one file.
func (s *workspace) try(ctx context.Context, key string, do func(*workspace, context.Context, *model.File) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	file, err := s.db.FileToPrepare(ctx, key)
	if err != nil || file == nil {
		return err
	}
	err = do(s, ctx, file)
	if errors.Is(err, storage.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		// It may have been deleted meanwhile, which is no trouble.
		if now, gone := s.db.FileToPrepare(ctx, key); gone == nil && now == nil {
			return nil
		}
	}
	return err
}
