package worker

import (
	"time"

	"github.com/riverqueue/river/rivertype"
)

// Attempt describes an attempt that has ended, for metrics.
type Attempt struct {
	// Kind is the job's type as clients know it, or River's kind for background work.
	Kind    string
	Outcome Outcome
	// Waited is how long the job was ready to run before the attempt started.
	Waited time.Duration
	// Took is how long the attempt ran, without Waited.
	Took time.Duration
}

// Outcome is how an attempt ended.
type Outcome string

// The outcomes of an attempt.
const (
	Completed  Outcome = "completed"
	Retried    Outcome = "retried"   // failed, and is tried again
	Postponed  Outcome = "postponed" // until the store or the database is back
	Failed     Outcome = "failed"    // failed for good
	Canceled   Outcome = "canceled"
	Superseded Outcome = "superseded"  // given to another attempt when the lease ran out
	HandedBack Outcome = "handed-back" // because the process stops
)

// observe reports an attempt that has ended to Options.Observe. The wait counts from the time for
// which River scheduled the attempt.
func (w *Worker) observe(kind string, row *rivertype.JobRow, started time.Time, outcome Outcome) {
	if w.Observe != nil {
		w.Observe(Attempt{Kind: kind, Outcome: outcome, Waited: max(0, started.Sub(row.ScheduledAt)), Took: time.Since(started)})
	}
}
