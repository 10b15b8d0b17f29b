package db

import (
	"context"
	"encoding/json"
	"fmt"

	"portico/model"
)

// Turn is the job that a worker is to run next.
type Turn struct {
	// Args is what Enqueue gave River to keep for the job.
	Args json.RawMessage
	// ScheduledAt is from when on the job could have run.
	ScheduledAt model.Time
}

// takeTurn finds the job whose turn it is and gives it the ticket. The order:
//
//  1. The user with the fewest jobs running in the queue.
//  2. The user whose last turn was longest ago. One without a turn counts as if it
//     was an hour before the user's first job came: newcomers go first, but a
//     stream of them keeps nobody waiting for ever.
//  3. Of a user's jobs the smallest, but those that have waited for ten minutes
//     before the others, in the order in which they came: a stream of small jobs
//     holds up no large one.
//
// The ticket is locked, so it cannot be rescued meanwhile, and so is the other
// one, so no worker of River fetches it. What another transaction has locked is
// skipped: it is being fetched, or is another ticket's turn.
const takeTurn = `
	WITH ticket AS (
		SELECT id, args, queue, scheduled_at FROM river_job WHERE id = ? AND state = 'running' FOR UPDATE
	), running AS (
		SELECT j.user_id, count(*) AS jobs
		FROM river_job AS r JOIN jobs AS j ON j.id = r.args ->> 'job_id'
		WHERE r.state = 'running' AND r.kind = ? AND r.queue = (SELECT queue FROM ticket) AND r.id <> ?
		GROUP BY j.user_id
	), waiting AS (
		SELECT r.id, r.scheduled_at, j.user_id, j.created_at, (` + jobBytes + `) AS bytes
		FROM river_job AS r JOIN jobs AS j ON j.id = r.args ->> 'job_id'
		WHERE r.kind = ? AND r.queue = (SELECT queue FROM ticket) AND j.status IN ('queued', 'processing')
			AND (r.id = ? OR r.state = 'available' AND r.scheduled_at <= now())
	), users AS (
		SELECT user_id, coalesce((SELECT max(started_at) FROM jobs AS j WHERE j.user_id = w.user_id),
			min(created_at) - interval '1 hour') AS last_turn
		FROM waiting AS w GROUP BY user_id
	), next AS (
		SELECT r.id, r.args, r.scheduled_at
		FROM waiting AS w JOIN users USING (user_id) LEFT JOIN running USING (user_id) JOIN river_job AS r USING (id)
		WHERE r.id = ? OR r.state = 'available'
		ORDER BY coalesce(running.jobs, 0), users.last_turn, users.user_id,
			w.created_at > now() - interval '10 minutes',
			CASE WHEN w.created_at > now() - interval '10 minutes' THEN w.bytes END,
			w.scheduled_at, w.id
		LIMIT 1 FOR UPDATE OF r SKIP LOCKED
	), swapped AS (
		UPDATE river_job AS r
		SET args = CASE WHEN r.id = next.id THEN ticket.args ELSE next.args END,
			scheduled_at = CASE WHEN r.id = next.id THEN ticket.scheduled_at ELSE next.scheduled_at END
		FROM ticket, next WHERE next.id <> ticket.id AND r.id IN (ticket.id, next.id)
	)
	SELECT next.args, next.scheduled_at FROM ticket, next`

// TakeTurn gives a ticket, the row of River that a worker was handed, to the job
// whose turn it is, and returns that job. The job that the ticket was for gets
// the other one's ticket in exchange. So each job that has not ended has one
// ticket at any time, and a worker that dies after this loses the job that it was
// given, which Rescue then finds. It returns nil where the ticket is not running
// any more or no job waits: the worker goes on with what it was handed.
func (db *DB) TakeTurn(ctx context.Context, ticket int64) (*Turn, error) {
	var rows []Turn
	err := db.idb.NewRaw(takeTurn, ticket, JobKind, ticket, JobKind, ticket, ticket).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("take a turn: %w", translate(err))
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}
