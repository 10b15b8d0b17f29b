package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"portico/db"
	"portico/model"
	"portico/splat/archive"
	"portico/storage"
)

// attempt is one worker's work on one job. Others may be at the same job: a
// worker that was paused until its job was given away wakes up and goes on. So
// what an attempt writes to the jobs table is refused when it is not the current
// one, and what it writes to the store is what every attempt writes there: the
// same files under the same names. It deletes from the store only what has been
// given up in the database.
type attempt struct {
	db      *db.DB
	store   storage.Store
	limits  archive.Limits
	remover remover
	// workspace is where captures are worked on.
	workspace *workspace
	job       *model.Job
	upload    *model.Upload // nil until it is read
	log       *slog.Logger
	began     time.Time
	// progress reports to the client how far the work has come.
	progress *reporter
	// outcome is how the attempt ended, once it has.
	outcome Outcome
	// sized begins the sentence that says how large the result is.
	sized string
	// view is stored for the file, which gets it when it is stored itself;
	// nil for none.
	view *view
}

// newAttempt returns an attempt that begins now at a job that was claimed for it.
func (w *Worker) newAttempt(job *model.Job, log *slog.Logger) *attempt {
	return &attempt{
		db: w.DB, store: w.Store, limits: w.Limits, remover: remover{w.DB, w.Store, log}, workspace: w.newWorkspace(job.ID, log),
		job: job, log: log, began: time.Now(), sized: "the archive unpacks to",
	}
}

// run does the work and stores the result.
func (a *attempt) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.progress = &reporter{cancel: cancel, log: a.log, store: func(ctx context.Context, percent float64, message string) (bool, error) {
		return a.db.ReportJob(ctx, a.job.ID, a.job.Attempt, percent, message)
	}}
	a.progress.start(ctx)
	defer a.progress.stop()
	defer a.workspace.close()
	err := a.work(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errLost) {
		return errLost // whatever the work stumbled over then
	}
	return err
}

// work finds out what is to be done and does it.
func (a *attempt) work(ctx context.Context) (err error) {
	// A panic is a bug, in our code, that one file brings out: it costs this
	// job, not the process.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if err := a.readUpload(ctx); err != nil {
		return err
	}
	// Tries that ended with their process count too, and only here do they
	// come to light.
	if a.job.Tries > db.JobAttempts {
		return model.Invalidf("Given up after %d tries", db.JobAttempts)
	}
	switch {
	case a.job.Type == model.JobZip:
		return a.processZip(ctx)
	case a.job.ConvertTo != "":
		return a.convertFile(ctx)
	}
	return a.processFile(ctx)
}

// readUpload reads what the job works on, once.
func (a *attempt) readUpload(ctx context.Context) error {
	if a.upload != nil {
		return nil
	}
	upload, err := a.db.Upload(ctx, a.job.UploadID)
	if err == nil {
		a.upload = upload
	}
	return err
}

// end carries out what follows from how the work ended.
func (a *attempt) end(ctx context.Context, err error) error {
	running := ctx
	stopped := ctx.Err() // the process stops, or the job took too long
	// What is left to do is short, and must be done also when ctx has ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	switch {
	case err == nil:
		a.outcome = Completed
		a.log.Info("job completed", a.spent()...)
		return nil
	case errors.Is(err, errLost):
		return a.leave(ctx)
	case errors.Is(stopped, context.Canceled):
		return a.handBack(ctx)
	case stopped != nil:
		return a.fail(ctx, tookTooLong, err)
	}
	if wait, ok := outage(ctx, a.store, err, a.job.CreatedAt.Time, a.began); ok {
		return a.postpone(running, wait, err)
	}
	if verdict, final := judge(err); final || a.job.Tries >= db.JobAttempts {
		return a.fail(ctx, verdict, err)
	}
	a.outcome = Retried
	a.log.Warn("job will be tried again", append(a.spent(), "error", err)...)
	return err
}

// spent returns what the attempt has taken, for the log.
func (a *attempt) spent() []any {
	return append([]any{"duration", time.Since(a.began)}, a.workspace.used.Attributes()...)
}
