package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"portico/db"
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
	job, err := j.w.DB.ClaimJob(ctx, args.JobID)
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
	turn, err := j.w.DB.TakeTurn(ctx, chosenByRiver.ID)
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
