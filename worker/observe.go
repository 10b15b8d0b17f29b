package worker

import (
	"time"

	"github.com/riverqueue/river/rivertype"
)

// Attempt is how an attempt at a job ended, for metrics.
type Attempt struct {
	// Kind is the job's type as clients know it; of work that no client sees a
	// job of, River's kind.
	Kind    string
	Outcome Outcome
	// Waited is how long the job could have run before it did, Took how long the
	// attempt took.
	Waited, Took time.Duration
}

// Outcome is how an attempt ended.
type Outcome string

// The outcomes of an attempt.
const (
	Completed  Outcome = "completed"
	Retried    Outcome = "retried"   // went wrong, and is tried again
	Postponed  Outcome = "postponed" // until the store or the database is back
	Failed     Outcome = "failed"    // went wrong for good
	Canceled   Outcome = "canceled"
	Left       Outcome = "left"        // to another attempt, which took it for dead
	HandedBack Outcome = "handed back" // because the process stops
)

// observe reports an attempt that has ended to Options.Observe.
func (w *Worker) observe(kind string, row *rivertype.JobRow, began time.Time, outcome Outcome) {
	if w.Observe != nil {
		w.Observe(Attempt{Kind: kind, Outcome: outcome, Waited: max(0, began.Sub(row.ScheduledAt)), Took: time.Since(began)})
	}
}
