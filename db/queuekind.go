package db

import (
	"fmt"
	"time"
)

// JobKind is the kind under which River runs the jobs of table jobs.
const JobKind = "job"

// The kinds of work that no client sees as a job.
const (
	// PreparationKind is the kind that finds the facts of a file and draws its poster.
	PreparationKind = "preparation"
	// ViewKind is the kind that makes a view of a file which no viewer reads as it is.
	ViewKind = "view"
	// CollisionKind is the kind that makes the collision of a capture and finds a start.
	CollisionKind = "collision"
	// WebhookKind is the kind that sends the events of one stream to a webhook.
	WebhookKind = "webhook"
)

// JobAttempts is how often a job is tried before it is given up. The row in table jobs
// counts the tries: River's row forgets those that ended with their process.
const JobAttempts = 4

// The queues of jobs. Small work has its own queue, and so its own workers: it never
// waits for a large job to end.
const (
	JobQueue      = "default"
	SmallJobQueue = "small"

	// maxSmallJob is the largest input of a small job, in bytes.
	maxSmallJob = 16 << 20
)

// QueueLength is the number of jobs of one kind in one state.
type QueueLength struct {
	Kind  string // as in River: JobKind, PreparationKind and ViewKind among them
	State string // available, retryable, running or scheduled
	Jobs  int64
	// Oldest is how long ago the oldest of these jobs became ready to run.
	Oldest time.Duration
}

// milliseconds returns a duration as the text of a Postgres interval.
func milliseconds(d time.Duration) string { return fmt.Sprintf("%d milliseconds", d.Milliseconds()) }
