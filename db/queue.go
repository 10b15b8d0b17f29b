package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"
)

// JobKind is the kind under which River runs the jobs of table jobs.
const JobKind = "job"

// JobAttempts is how often a job is tried before it is given up. Its row counts,
// not River's: that one forgets the tries which ended with their process.
const JobAttempts = 4

// The queues of jobs. Small work has a queue, and so workers, of its own: it never
// waits for a large job to end.
const (
	JobQueue      = "default"
	SmallJobQueue = "small"

	// smallJob is the largest input of a small job, in bytes.
	smallJob = 16 << 20
)

// jobBytes selects the size of what a job j works on: the uploaded file, or the
// stored one that it converts.
const jobBytes = `SELECT coalesce(f.size, u.size) FROM uploads AS u
	LEFT JOIN files AS f ON f.resource_key = j.source_key WHERE u.id = j.upload_id`

// Enqueue hands the job to River in the transaction that db is: the insert is
// the form that River documents for clients in other languages. Nothing runs if
// the transaction is rolled back. The job goes on with the trace of ctx.
func (db *DB) Enqueue(ctx context.Context, jobID, requestID string) error {
	args, err := json.Marshal(struct {
		JobID       string `json:"job_id"`
		RequestID   string `json:"request_id"`
		TraceParent string `json:"traceparent,omitempty"`
	}{jobID, requestID, traceParent(ctx)})
	if err != nil {
		return err
	}
	var queue string
	err = db.idb.NewRaw(`
		INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, scheduled_at)
		VALUES (?, ?, 1000, 1, CASE WHEN (SELECT (`+jobBytes+`) FROM jobs AS j WHERE j.id = ?) <= ? THEN ? ELSE ? END,
			'available', now()) RETURNING queue`,
		string(args), JobKind, jobID, smallJob, SmallJobQueue, JobQueue).Scan(ctx, &queue)
	if err != nil {
		return fmt.Errorf("enqueue job %s: %w", jobID, err)
	}
	db.Announce(topicEnqueued(queue))
	return nil
}

// enqueued begins the topics that go to River's own channel instead of ours.
const enqueued = "enqueued/"

// topicEnqueued wakes a worker of the queue.
func topicEnqueued(queue string) Topic { return Topic(enqueued + queue) }

// ExtendLease tells that this process still works on its jobs, River's ids.
func (db *DB) ExtendLease(ctx context.Context, riverIDs []int64) error {
	_, err := db.idb.ExecContext(ctx, `
		UPDATE river_job SET attempted_at = now() WHERE id = ANY(?::bigint[]) AND state = 'running'`,
		pgdialect.Array(riverIDs))
	return translate(err)
}

// Rescue has the jobs run again whose worker has not extended their lease, and
// returns how many: their process was killed or cut off. River's own rescuer
// knows no heartbeat and would wait for the longest time a job may run.
//
// Each one goes on in a new row. River reports the end of a row without asking
// whose attempt it was, so a worker that was paused and wakes up would end the
// row that another one works on, and nobody would notice if that one died.
func (db *DB) Rescue(ctx context.Context, lease time.Duration) (int, error) {
	var queues []string
	err := db.idb.NewRaw(`
		WITH lost AS (
			UPDATE river_job SET state = 'discarded', finalized_at = now()
			WHERE state = 'running' AND kind = ? AND attempted_at < now() - ?::interval
			RETURNING args, kind, max_attempts, priority, queue
		)
		INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, scheduled_at)
		SELECT args, kind, max_attempts, priority, queue, 'available', now() FROM lost RETURNING queue`,
		JobKind, fmt.Sprintf("%d milliseconds", lease.Milliseconds())).Scan(ctx, &queues)
	for _, queue := range queues {
		db.Announce(topicEnqueued(queue))
	}
	return len(queues), translate(err)
}

// RebuildQueueIndexes makes the indexes of River's table anew, which grow with every
// job that ever was. Meanwhile nothing is enqueued: that takes milliseconds.
func (db *DB) RebuildQueueIndexes(ctx context.Context) error {
	_, err := db.idb.ExecContext(ctx, "SELECT rebuild_queue_indexes()")
	return translate(err)
}
