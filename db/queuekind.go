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
	// PurgeKind is the kind that deletes what has expired.
	PurgeKind = "purge"
	// IndexKind is the kind that rebuilds the indexes of River's table.
	IndexKind = "queue-indexes"
	// SampleKind is the kind that stores the state of the server for the plots of operators.
	SampleKind = "sample"
)

// Kinds returns all kinds of work in the queue.
func Kinds() []string {
	return []string{
		JobKind, PreparationKind, ViewKind, CollisionKind, WebhookKind, MailKind, PurgeKind, IndexKind, SampleKind,
	}
}

// rescuedKinds returns the kinds whose attempts only River's row counts. The periodic kinds are not
// among them, because the next period repeats their work.
func rescuedKinds() []string {
	return []string{PreparationKind, ViewKind, CollisionKind, MailKind, WebhookKind}
}

// JobAttempts is the maximum number of attempts at a job. The table jobs counts them, because
// River's row does not count an attempt whose process was killed.
//
// A job that kills its process ends after a bounded time.
const JobAttempts = 4

// The queues of jobs. Small jobs have a queue and workers of their own, so that they never wait for
// a large job.
const (
	JobQueue      = "default"
	SmallJobQueue = "small"

	// maxSmallJob is the largest input of a small job, in bytes.
	maxSmallJob = 16 << 20
)

// QueueLength is the number of jobs of one kind in one state.
type QueueLength struct {
	Kind  string // one of Kinds
	State string // available, retryable, running or scheduled
	Jobs  int64
	// Oldest is how long ago the oldest of these jobs became ready to run.
	Oldest time.Duration
}

// milliseconds returns a duration as the text of a Postgres interval.
func milliseconds(d time.Duration) string { return fmt.Sprintf("%d milliseconds", d.Milliseconds()) }
