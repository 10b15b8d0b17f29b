package worker

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"portico/db"
	"portico/model"
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

// formatArgs are the arguments of the job that makes another format of a file, for a download.
type formatArgs struct{ fileArgs }

// Kind implements river.JobArgs.
func (formatArgs) Kind() string { return db.FormatKind }

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
	do func(*attemptTools, context.Context, *model.File, fileArgs) error
	// giveUp stores why the work was given up.
	giveUp func(*attemptTools, context.Context, *model.File, fileArgs, string) error
}

// preparing is a step of the preparation of a file: what clients see as failed when it is given up. A
// file without facts failed at them, whatever step was asked for: all others need the facts.
func preparing(step model.PreparationStep, do func(*attemptTools, context.Context, *model.File) error) fileWork {
	return fileWork{
		do: func(t *attemptTools, ctx context.Context, file *model.File, _ fileArgs) error {
			return do(t, ctx, file)
		},
		giveUp: func(t *attemptTools, ctx context.Context, file *model.File, _ fileArgs, reason string) error {
			failed := step
			if file.Facts == nil {
				failed = model.StepFacts
			}
			return t.db.Files().SetFailure(ctx, file, failed, reason)
		},
	}
}

// What the job of each queue does with its file.
var (
	preparationWork = preparing(model.StepPoster, (*attemptTools).prepare)
	viewWork        = preparing(model.StepView, (*attemptTools).addView)
	collisionWork   = preparing(model.StepCollision, (*attemptTools).addCollision)
	formatWork      = fileWork{do: (*attemptTools).addFormat, giveUp: (*attemptTools).giveUpFormat}
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
	a := &fileAttempt{
		db: w.DB, store: w.Store, tools: w.newAttemptTools(row.Kind, log),
		row: row, args: args, work: work, log: log, started: time.Now(),
	}
	defer a.tools.close()
	ctx, span := w.startSpan(ctx, args.TraceParent)
	outcome := Failed // of a panic
	defer func() {
		w.observe(row.Kind, row, a.started, outcome)
		endSpan(span, row.Kind, outcome)
	}()
	outcome, err := a.run(ctx)
	return err
}
