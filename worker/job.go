package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"portico/db"
	"portico/model"
	"portico/splat"
	"portico/storage"
	"portico/worker/child"
)

// jobArgs are the arguments that db.Enqueue stores with a job of River.
type jobArgs struct{ db.JobArgs }

// Kind implements river.JobArgs.
func (jobArgs) Kind() string { return db.JobKind }

// jobWorker runs the jobs that clients see. River calls Work on its own goroutines, up to
// Options.Jobs of them for each queue.
type jobWorker struct {
	river.WorkerDefaults[jobArgs]
	w *Worker
}

// NextRetry implements river.Worker.
func (j *jobWorker) NextRetry(job *river.Job[jobArgs]) time.Time { return nextRetry(job.Attempt) }

// nextRetry returns the time of the next attempt after this number of attempts. The wait
// starts at one second and doubles, up to 64 seconds. River runs jobs that wait for up to 5 s
// on time, and polls for jobs that wait longer.
func nextRetry(attempts int) time.Time {
	const doublings = 6
	return time.Now().Add(time.Second << min(max(attempts-1, 0), doublings))
}

// Work makes one attempt at the job whose turn it is. An error makes River try again later. Its
// result is for River's row only: the row of the job has its own state, which finish has stored.
func (j *jobWorker) Work(ctx context.Context, riverJob *river.Job[jobArgs]) error {
	defer j.w.holdLease(riverJob.ID)()
	args, row, err := j.nextByTurn(ctx, riverJob)
	if err != nil || row == nil {
		return err
	}
	return j.attemptJob(ctx, args, row)
}

// attemptJob makes one attempt at the job, for River's row.
func (j *jobWorker) attemptJob(ctx context.Context, args jobArgs, row *rivertype.JobRow) error {
	ctx, span := j.w.startSpan(ctx, args.TraceParent)
	var kind string
	var outcome Outcome
	defer func() { endSpan(span, kind, outcome) }()
	job, err := j.w.DB.Jobs().ClaimJob(ctx, args.JobID)
	if err != nil {
		return fmt.Errorf("claim job %s: %w", args.JobID, err)
	}
	if job == nil { // canceled, or completed by another worker
		return nil
	}
	a := j.w.newAttempt(job, j.w.Logger.With("job_id", job.ID, "type", job.Type, "attempt", job.Attempt, "request_id", args.RequestID))
	err = a.finish(ctx, a.run(ctx))
	kind, outcome = string(job.Type), cmp.Or(a.outcome, Retried) // River repeats a job whose outcome could not be stored
	j.w.observe(kind, row, a.started, outcome)
	return err
}

// nextByTurn exchanges the job that River chose, which is the oldest, for the job whose turn it is
// (see db.TakeTurn): users take turns, so that many jobs of one user do not delay the jobs of
// others. The row is nil if another worker has the job that River chose, because this process was
// paused.
func (j *jobWorker) nextByTurn(ctx context.Context, chosenByRiver *river.Job[jobArgs]) (args jobArgs, row *rivertype.JobRow, err error) {
	turn, err := j.w.DB.Queue().TakeTurn(ctx, chosenByRiver.ID)
	if err != nil {
		return args, nil, err
	}
	if turn == nil {
		j.w.Logger.Warn("job lost before its start", "job_id", chosenByRiver.Args.JobID)
		return args, nil, nil
	}
	if err := json.Unmarshal(turn.Args, &args); err != nil {
		return args, nil, fmt.Errorf("read the arguments of a job: %w", err)
	}
	byTurn := *chosenByRiver.JobRow
	byTurn.ScheduledAt = turn.ScheduledAt.Time
	return args, &byTurn, nil
}

// failure describes why an attempt failed.
type failure struct {
	// reason is the message for the job's owner.
	reason string
	// level is the log level: Info for a fault in the user's file, Warn or Error for a problem
	// that the operator should look at.
	level slog.Level
}

var timeLimitFailure = failure{fmt.Sprintf("Took longer than %.0f hours", attemptTimeout.Hours()), slog.LevelWarn}

// attemptsFailure is the failure of a job whose attempts are used up.
var attemptsFailure = failure{
	fmt.Sprintf("Given up after %d attempts. Try again, or ask the operator for help", db.JobAttempts), slog.LevelError,
}

// errLostFile means that a stored file, which a job reads, has a row but no bytes.
var errLostFile = errors.New("a stored file has no bytes")

// errDamagedFile means that a stored file has another size than its row says.
var errDamagedFile = errors.New("a stored file is damaged")

// errAttemptsUsedUp means that all attempts ended without a stored result: each crashed its
// process, or could not store why it failed.
var errAttemptsUsedUp = errors.New("the attempts are used up")

// failureOf returns the failure that an error means, and whether the failure is final:
// another attempt would end in the same way.
//
// The failures, and whether they are final:
//
//	fault in the user's file           final
//	disk or store full                 final; failing the job frees the space of its upload
//	object not found or damaged        final; the store has lost bytes of the upload or of a file
//	attempts used up                   final
//	child that ended in a known way    as child.Error says: a limit of its own is final
//	refusal by a rule, e.g. a quota    final
//	anything else                      not final; it may be a bug or a short outage
func failureOf(err error) (f failure, final bool) {
	if fault, ok := asInputError(err); ok {
		return failure{fault.Error(), slog.LevelInfo}, true
	}
	switch {
	case errors.Is(err, storage.ErrFull):
		// The disk would be as full at the next attempt. Failing the job frees the space of its
		// upload.
		return failure{model.DiskFull, slog.LevelError}, true
	case errors.Is(err, errLostFile):
		return failure{model.FileNotFound, slog.LevelError}, true
	case errors.Is(err, storage.ErrNotFound):
		return failure{model.UploadNotFound, slog.LevelError}, true
	case errors.Is(err, errDamagedFile):
		return failure{"The file was damaged when the server stored it. Upload it again", slog.LevelError}, true
	case errors.Is(err, errAttemptsUsedUp):
		return attemptsFailure, true
	}
	if ended, ok := errors.AsType[*child.Error](err); ok {
		return failure{ended.Reason, slog.LevelError}, ended.Final
	}
	known := model.AsError(err)
	if known.Code == model.CodeInternal {
		return failure{known.Message, slog.LevelError}, false
	}
	return failure{known.Message, slog.LevelInfo}, true
}

// asInputError returns the fault in the user's file, if err is one.
func asInputError(err error) (*splat.InputError, bool) { return errors.AsType[*splat.InputError](err) }

// fail ends the job for good and removes its upload. It waits for a database that does not answer.
// If the reason cannot be stored, the attempt does not count: it may be the last one, and a further
// one that counts would only find that the attempts are used up.
func (a *attempt) fail(ctx context.Context, f failure, cause error) error {
	failed, err := a.retryWhileUnavailable(ctx, func(ctx context.Context) (failed bool, err error) {
		err = a.db.InTx(ctx, func(tx *db.DB) error {
			job, err := tx.Jobs().FailJobAndUpload(ctx, a.job.ID, a.job.Attempt, f.reason)
			failed = job != nil
			return err
		})
		return failed, err
	})
	finishing, cancel := finishingContext(ctx)
	defer cancel()
	if err != nil {
		err = fmt.Errorf("fail job %s: %w", a.job.ID, err)
		if errors.Is(ctx.Err(), context.Canceled) {
			return a.handBack(finishing)
		}
		if wait, ok := outage(finishing, a.store, err, a.job.CreatedAt.Time, a.started); ok {
			return a.postpone(ctx, wait, errors.Join(err, cause))
		}
		return err
	}
	if !failed && !a.hasStored(finishing, model.JobFailed, f.reason) {
		a.finishLost(finishing)
		return nil
	}
	a.outcome = Failed
	a.log.Log(ctx, f.level, "job failed", append(a.usage(), "error", cause)...)
	a.removeUpload(finishing)
	return nil
}

// finishLost ends an attempt that may no longer change its job. If this attempt has completed the
// job and only the response to the commit was lost, it counts as completed. If the job was
// canceled, no other attempt works on it, and this one removes what it has stored. The upload shows
// whether the job was canceled, because the upload's row is kept for longer than the job's.
func (a *attempt) finishLost(ctx context.Context) {
	if a.hasStored(ctx, model.JobCompleted, "") {
		a.outcome = Completed
		a.log.Info("job completed", a.usage()...)
		return
	}
	a.outcome = Superseded
	upload, err := a.db.Uploads().Upload(ctx, a.job.UploadID)
	gone := model.CodeOf(err) == model.CodeNotFound // with its owner
	switch {
	case err != nil && !gone:
		a.log.Warn("job lost, the purge removes its objects", "error", err)
	case gone || upload.State == model.UploadFailed:
		a.outcome = Canceled
		a.log.Info("job canceled", a.usage()...)
		a.removeUpload(ctx)
	default:
		a.log.Warn("job lost to another attempt", a.usage()...)
	}
}

// removeUpload removes the objects of a failed job's upload from the store. The purge
// removes the objects that it cannot remove.
func (a *attempt) removeUpload(ctx context.Context) {
	if err := a.readUpload(ctx); err != nil {
		a.log.Warn("remove the upload of a failed job", "error", err)
		return
	}
	_, _ = a.remover.remove(ctx, a.upload.StorageKey(), a.upload.StorageRoot(), model.NewFile(a.upload).DerivedStorageRoot())
}

// handBack makes the job available to other workers, because this worker stops. The job may have
// been canceled, or given to another attempt, since this attempt last reported its progress.
func (a *attempt) handBack(ctx context.Context) error {
	current, err := a.db.Jobs().RequeueJob(ctx, a.job.ID, a.job.Attempt)
	if err != nil {
		return fmt.Errorf("hand job %s back: %w", a.job.ID, err)
	}
	if !current && !a.hasStored(ctx, model.JobQueued, "") {
		a.finishLost(ctx)
		return nil
	}
	a.outcome = HandedBack
	a.log.Info("job handed back", a.usage()...)
	// A snooze of 0 makes River's row available immediately and does not count as an attempt.
	return river.JobSnooze(0)
}

// faultOf returns the text of a fault in the file. The child knows a file by the name under which
// it is stored, which has a random part. Its owner knows the name of the upload. The entries of an
// archive are stored in a folder under their own names, which stay.
func faultOf(fault *splat.InputError, file *model.File) string {
	_, stored, _ := strings.Cut(file.ResourceKey, "/") // after api_uploads/
	return strings.ReplaceAll(fault.Error(), stored, file.Name)
}
