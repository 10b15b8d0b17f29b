package worker

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"portico/db"
)

// jobArgs is what db.Enqueue gives River to keep.
type jobArgs struct {
	JobID     string `json:"job_id"`
	RequestID string `json:"request_id"`
	// TraceParent names the span that caused the job, as W3C Trace Context does; ""
	// for none.
	TraceParent string `json:"traceparent"`
}

// Kind implements river.JobArgs.
func (jobArgs) Kind() string { return db.JobKind }

// jobWorker runs the jobs that clients see.
type jobWorker struct {
	river.WorkerDefaults[jobArgs]
	w *Worker
}

// NextRetry waits longer after each try that ended badly, from one second on.
// Waits of up to 5 s are River's to keep exactly; it looks for longer ones now
// and then.
func (j *jobWorker) NextRetry(job *river.Job[jobArgs]) time.Time { return nextRetry(job.Attempt) }

// nextRetry returns when to try again after so many attempts.
func nextRetry(attempts int) time.Time {
	const doublings = 6
	return time.Now().Add(time.Second << min(max(attempts-1, 0), doublings))
}

// Work makes one attempt at a job. An error makes River try again later.
func (j *jobWorker) Work(ctx context.Context, riverJob *river.Job[jobArgs]) error {
	defer j.w.hold(riverJob.ID)()
	ctx, span := j.w.span(ctx, riverJob.Args.TraceParent)
	var kind string
	var outcome Outcome
	defer func() { endSpan(span, kind, outcome) }()
	job, err := j.w.DB.ClaimJob(ctx, riverJob.Args.JobID)
	if err != nil {
		return fmt.Errorf("claim job %s: %w", riverJob.Args.JobID, err)
	}
	if job == nil { // canceled, or done by another worker
		return nil
	}
	a := &attempt{
		Worker: j.w, job: job, began: time.Now(),
		log: j.w.Logger.With("job_id", job.ID, "type", job.Type, "attempt", job.Attempt, "request_id", riverJob.Args.RequestID),
	}
	err = a.end(ctx, a.run(ctx))
	kind, outcome = string(job.Type), cmp.Or(a.outcome, Retried) // Retried where not even the end could be noted
	j.w.observe(kind, riverJob.JobRow, a.began, outcome)
	return err
}
