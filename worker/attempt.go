package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"portico/db"
	"portico/model"
	"portico/splat/archive"
	"portico/storage"
	"portico/worker/child"
)

// attempt is one run of a job by one worker. Two attempts at a job may run at the same
// time: a worker that was paused until its lease ran out wakes up and continues. Therefore
// the jobs table refuses writes of attempts that are not the current one, all attempts write
// the same files under the same names, or in a folder that only one attempt writes (derivedFolder),
// and an attempt deletes only objects that the database lists for removal.
//
// Its life, all on the goroutine that River calls:
//
//	ClaimJob     counts the attempt and makes it the current one
//	readUpload   finds the bytes that the job is about
//	work         reads, converts and stores objects, and only the reporter writes to the job meanwhile
//	complete     stores the file's row and ends the job, in one transaction
//	close        removes the temporary folder
//	finish       decides what happens to the job if work or complete has failed
//
// A process that is killed at any point leaves objects without a row, and a lease that runs out.
// The next attempt overwrites the objects of a zip or a page, and removes a converted file. The
// purge removes other objects.
type attempt struct {
	db      *db.DB
	store   storage.Store
	limits  archive.Limits
	remover remover
	tools   *attemptTools
	job     *model.Job
	upload  *model.Upload // nil until it is read
	log     *slog.Logger
	started time.Time
	// progress stores the progress that clients see.
	progress *reporter
	// outcome is empty until the attempt has ended.
	outcome Outcome
	// sizeClause is the part before the number of bytes in the message about an exceeded quota,
	// such as "the archive unpacks to".
	sizeClause string
	// note is a sentence about the archive that the last message of the job has; "" for none.
	note string
	// settings are the settings of SuperSplat's viewer that came with the capture; nil for none.
	settings []byte
	// view is the stored view, which complete adds to the file; nil for none.
	view *view
	// converted is the folder of the stored result of a conversion, which complete keeps; nil for
	// other results.
	converted *derivedFolder
}

// newAttempt returns an attempt at a job that the caller has claimed.
func (w *Worker) newAttempt(job *model.Job, log *slog.Logger) *attempt {
	return &attempt{
		db: w.DB, store: w.Store, limits: w.Limits, remover: remover{w.DB, w.Store, log}, tools: w.newAttemptTools(job.ID, log),
		job: job, log: log, started: time.Now(), sizeClause: "the archive unpacks to",
	}
}

// run does the work and stores the result. The context of the work ends when the reporter finds
// that the job is lost, with errLost as its cause.
func (a *attempt) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.progress = &reporter{cancel: cancel, log: a.log, store: func(ctx context.Context, percent float64, step model.JobStep) (bool, error) {
		return a.db.Jobs().ReportJob(ctx, a.job.ID, a.job.Attempt, percent, step)
	}}
	a.progress.start(ctx)
	defer a.progress.stop()
	defer a.tools.close()
	err := a.work(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errLost) {
		return errLost // err is only a consequence
	}
	return err
}

// work does the job, depending on its type.
func (a *attempt) work(ctx context.Context) (err error) {
	// A file that triggers a bug must fail its own job only, not the process.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if err := a.readUpload(ctx); err != nil {
		return err
	}
	// ClaimJob has counted this attempt. Attempts whose process was killed count too, and are
	// noticed only here.
	if a.job.CountedAttempts > db.JobAttempts {
		return errAttemptsUsedUp
	}
	switch {
	case a.job.Type == model.JobZip:
		return a.processZip(ctx)
	case a.job.ConvertTo != "":
		return a.convertFile(ctx)
	case a.upload.IsHTML():
		return a.processHTML(ctx)
	}
	return a.processFile(ctx)
}

// readUpload reads the job's upload from the database, once.
func (a *attempt) readUpload(ctx context.Context) error {
	if a.upload != nil {
		return nil
	}
	upload, err := a.db.Uploads().Upload(ctx, a.job.UploadID)
	if err == nil {
		a.upload = upload
	}
	return err
}

// finish ends the attempt, given the error of run. It returns what River expects of a worker: nil
// ends River's job; an error or a snooze runs it again. The order of the cases matters, because an
// attempt that has lost its job or must stop also has an error of the work, which says nothing
// about the file:
//
//	Completed   run has stored the result
//	Superseded  another attempt has the job, so this one may change nothing
//	Canceled    the same, but the job was canceled: this attempt removes the upload
//	HandedBack  the process stops; the attempt does not count
//	Failed      the attempt took too long, and so would the next one
//	Postponed   the store or the database is unavailable; the attempt does not count
//	Failed      the file is at fault, or this was the last attempt
//	Completed   run has stored the result, and the response to the commit was lost
//	Retried     anything else; the attempt counts
func (a *attempt) finish(ctx context.Context, err error) error {
	jobCtx := ctx
	jobErr := ctx.Err() // the process stops, or the attempt took too long
	ctx, cancel := finishingContext(ctx)
	defer cancel()
	switch {
	case err == nil:
		a.outcome = Completed
		a.log.Info("job completed", a.usage()...)
		return nil
	case errors.Is(err, errLost):
		a.finishLost(ctx)
		return nil
	case errors.Is(jobErr, context.Canceled):
		return a.handBack(ctx)
	case jobErr != nil:
		return a.fail(context.WithoutCancel(jobCtx), timeLimitFailure, err)
	}
	if wait, ok := outage(ctx, a.store, err, a.job.CreatedAt.Time, a.started); ok {
		return a.postpone(jobCtx, wait, err)
	}
	if failure, final := failureOf(err); final || a.job.CountedAttempts >= db.JobAttempts {
		return a.fail(jobCtx, failure, err)
	}
	if db.MayBeCommitted(err) && a.hasStored(ctx, model.JobCompleted, "") {
		a.finishLost(ctx)
		return nil
	}
	a.outcome = Retried
	a.log.Warn("job will be tried again", append(a.usage(), "error", err)...)
	return err
}

// finishingContext returns a context for the work after an attempt, which is short and must be done
// even if ctx has ended.
func finishingContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
}

// usage returns, as attributes for the log, how long the attempt took, and the processor time and
// the peak memory of its children, if it had any.
func (a *attempt) usage() []any {
	return append([]any{"duration", time.Since(a.started)}, a.tools.used.Attributes()...)
}

// attemptTools are what one attempt works with: the database and the store, a temporary folder, and
// the children that read and write captures in this folder. close removes the folder. They belong
// to one goroutine.
type attemptTools struct {
	db    *db.DB
	store storage.Store
	// children starts the children. It has no program on servers that do not convert.
	children *child.Runner
	// parent is the folder in which the temporary folder is created.
	parent string
	// processors is the number of processors that a conversion may use.
	processors int
	// silenceTimeout is how long a conversion may run without output.
	silenceTimeout time.Duration
	name           string // the first part of the folder's name
	log            *slog.Logger

	folder *workFolder // nil until open is called
	used   child.Usage // by all children of the attempt
}

// newAttemptTools returns the tools of an attempt. They have no folder until open is called.
func (w *Worker) newAttemptTools(name string, log *slog.Logger) *attemptTools {
	return &attemptTools{
		db: w.DB, store: w.Store, children: w.children, parent: w.WorkFolder, silenceTimeout: w.SilenceTimeout,
		// Jobs that run at the same time share the processors.
		processors: max(1, runtime.GOMAXPROCS(0)/max(1, w.Jobs)),
		name:       name, log: log,
	}
}

// converts reports whether this worker converts captures.
func (t *attemptTools) converts() bool { return len(t.children.Program) > 0 }

// open creates the temporary folder on the first call.
func (t *attemptTools) open() (*workFolder, error) {
	if t.folder != nil {
		return t.folder, nil
	}
	var err error
	t.folder, err = newWorkFolder(t.parent, t.name)
	return t.folder, err
}

// close removes the temporary folder, if there is one.
func (t *attemptTools) close() {
	if t.folder == nil {
		return
	}
	if err := t.folder.remove(); err != nil {
		// removeLeftovers tries again, since the folder is unlocked.
		t.log.Warn("remove the folder of a job", "error", err)
	}
}

// subfolder creates a folder in the temporary folder. Its name starts with name.
func (t *attemptTools) subfolder(name string) (string, error) {
	folder, err := t.open()
	if err != nil {
		return "", err
	}
	path, err := os.MkdirTemp(folder.path, name+"-*")
	if err != nil {
		return "", fmt.Errorf("create a temporary folder: %w", storage.WrapFull(err))
	}
	return path, nil
}
