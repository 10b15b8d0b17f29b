package db

import (
	"context"
	"encoding/json"
	"fmt"

	"portico/model"
)

// Turn is the job that a worker runs next.
type Turn struct {
	// Args are the arguments that Enqueue stored for the job.
	Args json.RawMessage
	// ScheduledAt is when the job became ready to run.
	ScheduledAt model.Time
}

// takeTurn selects the next job and assigns river_row to it, in this order:
//
//  1. The user with the fewest running jobs in the queue.
//  2. The user whose last turn was the longest ago. A user without a turn counts as if
//     one had ended an hour before the user's first job: newcomers go first, but a
//     stream of them does not starve the others.
//  3. The user's smallest job. Jobs that have waited for ten minutes come before it, in
//     the order of their arrival: a stream of small jobs does not starve a large one.
//
// Both rows are locked, so that river_row cannot be rescued and no worker of River fetches the
// other row. Rows that another transaction has locked are skipped: they are being fetched, or
// belong to another turn.
//
// The parts of the statement, in the order in which Postgres needs them:
//
//	river_row  River's row that the worker has been given
//	running    how many jobs each account has running in the queue, without the job of river_row
//	waiting    the jobs that may run now, with the job of river_row
//	users      when each account that waits had its last turn
//	next       the job to run next; none if all jobs that wait have ended
//	swapped    exchanges the arguments of the two rows, unless next is river_row
const takeTurn = `
	WITH river_row AS (
		SELECT id, args, queue, scheduled_at FROM river_job WHERE id = ? AND state = 'running' FOR UPDATE
	), running AS (
		SELECT j.user_id, count(*) AS jobs
		FROM river_job AS r JOIN jobs AS j ON j.id = r.args ->> 'job_id'
		WHERE r.state = 'running' AND r.kind = ? AND r.queue = (SELECT queue FROM river_row) AND r.id <> ?
		GROUP BY j.user_id
	), waiting AS (
		SELECT r.id, r.scheduled_at, j.user_id, j.created_at, (` + jobBytes + `) AS bytes
		FROM river_job AS r JOIN jobs AS j ON j.id = r.args ->> 'job_id'
		WHERE r.kind = ? AND r.queue = (SELECT queue FROM river_row) AND j.status IN ('queued', 'processing')
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
		SET args = CASE WHEN r.id = next.id THEN river_row.args ELSE next.args END,
			scheduled_at = CASE WHEN r.id = next.id THEN river_row.scheduled_at ELSE next.scheduled_at END
		FROM river_row, next WHERE next.id <> river_row.id AND r.id IN (river_row.id, next.id)
	)
	SELECT coalesce(next.args, river_row.args) AS args, coalesce(next.scheduled_at, river_row.scheduled_at) AS scheduled_at
	FROM river_row LEFT JOIN next ON true`

// TakeTurn assigns riverRow, the row of River that a worker received, to the job that must run
// next, and returns that job. The job that had riverRow gets the other job's row in exchange, so
// every unfinished job has exactly one row, and a worker that dies afterwards loses the job that it
// was given, which RescueJobs then finds. If no job waits, TakeTurn returns the job of riverRow,
// which has ended. It is one statement, and so atomic: a crash leaves both rows as they were.
//
// TakeTurn returns nil if riverRow is lost: it is not running any more, because the worker was
// paused for longer than its lease. The job of a lost row has another row, so the worker must
// not claim it: River would end the other row when its worker finds that it has lost the job, and
// the claimed job would have no row.
func (db *DB) TakeTurn(ctx context.Context, riverRow int64) (*Turn, error) {
	var rows []Turn
	err := db.idb.NewRaw(takeTurn, riverRow, JobKind, riverRow, JobKind, riverRow, riverRow).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("take a turn: %w", translate(err))
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// EnqueueLostJobs enqueues up to limit unfinished jobs that have no unfinished row of River and did
// not change in the last minute, and returns how many. A worker that is paused between TakeTurn and
// ClaimJob for longer than its lease can leave such a job, which would never end.
//
// It sets the time of the last change: of two calls at the same time, one enqueues a job.
func (db *DB) EnqueueLostJobs(ctx context.Context, limit int) (int, error) {
	var queues []string
	err := db.idb.NewRaw(`
		WITH lost AS (
			SELECT id FROM jobs AS j
			WHERE status IN ('queued', 'processing') AND updated_at < now() - interval '1 minute' AND NOT EXISTS (
				SELECT FROM river_job AS r WHERE r.kind = ?1 AND r.state IN `+unfinishedStates+` AND r.args ->> 'job_id' = j.id)
			ORDER BY id LIMIT ?2 FOR UPDATE SKIP LOCKED
		), changed AS (
			UPDATE jobs AS j SET updated_at = now() FROM lost WHERE j.id = lost.id RETURNING j.*
		)
		INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, scheduled_at)
		SELECT jsonb_build_object('job_id', id, 'request_id', ''), ?1, ?3, 1, `+queueOfJob+`, 'available', now()
		FROM changed AS j RETURNING queue`,
		maxSmallJob, JobKind, limit, riverAttempts).Scan(ctx, &queues)
	for _, queue := range queues {
		db.Announce(enqueuedTopic(queue))
	}
	return len(queues), translate(err)
}
