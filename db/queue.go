package db

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// This file and queueturn.go contain every statement on River's own tables. Read them first when
// River is updated: beyond the insert that River documents for clients in other languages, they
// rely on the columns state, attempted_at, args and unique_states.

// riverAttempts is River's own limit, too high to be reached: JobAttempts decides.
const riverAttempts = 1000

const (
	// unfinishedStates are the states of a job that will run, or runs.
	unfinishedStates = "('available', 'pending', 'retryable', 'running', 'scheduled')"
	// uniqueStates is a value of unique_states, which has a bit for each state in which River's
	// index requires a unique key: here the unfinished states.
	uniqueStates = "B'11110001'"
)

// jobBytes selects the size of the input of a job j: the uploaded file, or the stored file that the
// job converts. TakeTurn orders an account's jobs by it, and queueOfJob chooses the queue.
const jobBytes = `SELECT coalesce(f.size, u.size) FROM uploads AS u
	LEFT JOIN files AS f ON f.resource_key = j.source_key WHERE u.id = j.upload_id`

// queueOfJob is an expression for the queue of a job j. A job without an input counts as a large
// one. The first argument of the statement must be maxSmallJob.
const queueOfJob = `CASE WHEN (` + jobBytes + `) <= ?0 THEN '` + SmallJobQueue + `' ELSE '` + JobQueue + `' END`

// JobArgs are the arguments of a job of River that runs a job of a client.
type JobArgs struct {
	JobID     string `json:"job_id"`
	RequestID string `json:"request_id"` // of the request that created the job
	// TraceParent is the span that caused the job, in the form of W3C Trace Context; empty for none.
	TraceParent string `json:"traceparent,omitempty"`
}

// FileJobArgs are the arguments of a job of River that prepares a file, or makes its view or its
// collision.
type FileJobArgs struct {
	ResourceKey string `json:"resource_key"`
	TraceParent string `json:"traceparent,omitempty"` // as in JobArgs
}

// Enqueue adds the job to River's queue in the transaction of db, so a rollback removes
// it again. The job continues the trace of ctx.
//
// The row of a job in River's table decides when a worker starts, and the table jobs decides what
// happens. Both rows are written in one transaction, so neither exists without the other.
//
// The topic wakes a worker at once, after the commit. If it is lost, River's poll finds the row.
func (db *DB) Enqueue(ctx context.Context, jobID, requestID string) error {
	args, err := json.Marshal(JobArgs{jobID, requestID, traceParent(ctx)})
	if err != nil {
		return err
	}
	var queue string
	err = db.idb.NewRaw(`
		INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, scheduled_at)
		VALUES (?1, ?2, ?3, 1, coalesce((SELECT `+queueOfJob+` FROM jobs AS j WHERE j.id = ?4), '`+JobQueue+`'),
			'available', now()) RETURNING queue`,
		maxSmallJob, string(args), JobKind, riverAttempts, jobID).Scan(ctx, &queue)
	if err != nil {
		return fmt.Errorf("enqueue job %s: %w", jobID, translate(err))
	}
	db.Announce(enqueuedTopic(queue))
	return nil
}

// enqueuedPrefix starts the topics that go to River's own channel instead of ours.
const enqueuedPrefix = "enqueued/"

// enqueuedTopic wakes a worker of the queue.
func enqueuedTopic(queue string) Topic { return Topic(enqueuedPrefix + queue) }

// EnqueuePreparation adds the preparation of a file to River's queue in the transaction
// of db, unless one is waiting or running already.
func (db *DB) EnqueuePreparation(ctx context.Context, resourceKey string) error {
	return db.enqueueFileJob(ctx, PreparationKind, resourceKey, "")
}

// EnqueueView queues a job that makes the view of a file, unless one is waiting or running already.
// Its worker does nothing for a file that has a view by then.
func (db *DB) EnqueueView(ctx context.Context, resourceKey string) error {
	return db.enqueueFileJob(ctx, ViewKind, resourceKey, "")
}

// EnqueueCollision queues a job that makes the collision shape of a capture, unless one is waiting
// or running already. Its worker does nothing for a file that has a collision by then.
func (db *DB) EnqueueCollision(ctx context.Context, resourceKey string) error {
	return db.enqueueFileJob(ctx, CollisionKind, resourceKey, "")
}

// enqueueFileJob adds a job of a kind whose queue has the kind's name. It sends no
// notification: River polls every second, which is soon enough for work that nobody waits for. It
// adds nothing if an unfinished job has the same file and purpose.
//
// River computes a unique key in another way. That is not a conflict: the key only has to be equal
// for equal jobs, and these kinds are enqueued here only.
func (db *DB) enqueueFileJob(ctx context.Context, kind, resourceKey, purpose string) error {
	args, err := json.Marshal(FileJobArgs{ResourceKey: resourceKey, TraceParent: traceParent(ctx)})
	if err != nil {
		return err
	}
	unique := sha256.Sum256([]byte(kind + "\x00" + resourceKey + "\x00" + purpose))
	_, err = db.idb.ExecContext(ctx, `
		INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, scheduled_at, unique_key, unique_states)
		VALUES (?, ?, ?, 1, ?, 'available', now(), ?, `+uniqueStates+`)
		ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL AND unique_states IS NOT NULL
			AND river_job_state_in_bitmask(unique_states, state) DO NOTHING`,
		string(args), kind, riverAttempts, kind, unique[:])
	if err != nil {
		return fmt.Errorf("enqueue the %s of %s: %w", kind, resourceKey, translate(err))
	}
	return nil
}

// EnqueueMail adds the mail to River's queue in the transaction of db.
func (db *DB) EnqueueMail(ctx context.Context, mail model.Mail) error {
	args, err := json.Marshal(mail)
	if err != nil {
		return err
	}
	_, err = db.idb.ExecContext(ctx, `
		INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, scheduled_at)
		VALUES (?, ?, ?, 1, ?, 'available', now())`, string(args), MailKind, MailAttempts, MailKind)
	if err != nil {
		return fmt.Errorf("enqueue mail: %w", translate(err))
	}
	db.Announce(enqueuedTopic(MailKind))
	return nil
}

// maxStreams is how many streams of one account are sent at the same time, so that slow receivers
// of one do not hold up the others.
//
// A stream is the events of one space or the jobs of one account, see addWebhookEvent.
const maxStreams = 4

// EnqueueDeliveries enqueues the streams of webhooks whose oldest event is due, up to limit, and
// returns how many. A stream has only one unfinished job, so its events are sent one after the
// other.
//
// The parts of the statement:
//
//	oldest    the oldest event of each stream that waits; webhook_deliveries_waiting has them in order
//	sending   the streams that have a job now, with their account
//	due       the streams without a job whose event is due, numbered for each account after the jobs that
//	          it has; maxStreams cuts the numbers
func (db *DB) EnqueueDeliveries(ctx context.Context, limit int) (int, error) {
	var ids []int64
	err := db.idb.NewRaw(`
		WITH oldest AS (
			SELECT DISTINCT ON (webhook_id, stream) webhook_id, stream, next_at
			FROM webhook_deliveries WHERE ended_at IS NULL ORDER BY webhook_id, stream, sequence
		), sending AS (
			SELECT w.user_id, r.args->>'webhook_id' AS webhook_id, r.args->>'stream' AS stream
			FROM river_job AS r JOIN webhooks AS w ON w.id = r.args->>'webhook_id'
			WHERE r.kind = ?0 AND r.state IN `+unfinishedStates+`
				AND EXISTS (SELECT FROM oldest)
		), due AS (
			SELECT webhook_id, stream, next_at, row_number() OVER (PARTITION BY user_id ORDER BY next_at)
				+ (SELECT count(*) FROM sending AS s WHERE s.user_id = w.user_id) AS place
			FROM oldest AS o JOIN webhooks AS w ON w.id = o.webhook_id WHERE next_at <= now()
				AND NOT EXISTS (SELECT FROM sending AS s WHERE s.webhook_id = o.webhook_id AND s.stream = o.stream)
		)
		INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, scheduled_at, unique_key, unique_states)
		SELECT jsonb_build_object('webhook_id', webhook_id, 'stream', stream), ?0, ?1, 1, ?0, 'available', now(),
			sha256(convert_to(concat_ws(' ', ?0, webhook_id, stream), 'UTF8')), `+uniqueStates+`
		FROM due WHERE place <= ?2 ORDER BY next_at LIMIT ?3
		ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL AND unique_states IS NOT NULL
			AND river_job_state_in_bitmask(unique_states, state) DO NOTHING RETURNING id`,
		WebhookKind, riverAttempts, maxStreams, limit).Scan(ctx, &ids)
	if len(ids) > 0 {
		db.Announce(enqueuedTopic(WebhookKind))
	}
	return len(ids), translate(err)
}

// ExtendLease records that this process still works on the jobs with these ids of River. A job that
// was rescued has another state, so a late heartbeat does not bring it back. The start of the attempt
// is kept for RankQueue.
func (db *DB) ExtendLease(ctx context.Context, riverIDs []int64) error {
	_, err := db.idb.ExecContext(ctx, `
		UPDATE river_job AS r SET attempted_at = now(),
			metadata = metadata || jsonb_build_object('leased_attempt', attempt, 'started_at', `+startOfAttempt+`)
		WHERE id = ANY(?::bigint[]) AND state = 'running'`,
		pgdialect.Array(riverIDs))
	return translate(err)
}

// RescueJobs restarts the jobs whose worker has not extended their lease, because its process was
// killed or cut off, and returns how many. River's own rescuer has no heartbeat: it would wait for
// the maximum duration of a job.
//
// Each job continues in a new row. River finishes a row without checking whose attempt
// it was, so a paused worker that wakes up would finish the row that another worker
// processes, and nobody would notice if that worker died.
//
// The results that the lost attempts have stored count in the quota of their owners from now on.
// The status of a job does not show that its worker is dead until another worker claims the job.
//
// It is one statement: a crash in the middle leaves the lost rows running, and the next RescueJobs
// finds them.
func (db *DB) RescueJobs(ctx context.Context, lease time.Duration) (int, error) {
	var queues []string
	err := db.idb.NewRaw(`
		WITH lost AS (
			UPDATE river_job SET state = 'discarded', finalized_at = now()
			WHERE state = 'running' AND kind = ? AND attempted_at < now() - ?::interval
			RETURNING args, kind, max_attempts, priority, queue
		), results AS (
			UPDATE removals SET job_id = NULL, attempt = NULL FROM lost WHERE job_id = lost.args->>'job_id'
		)
		INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, scheduled_at)
		SELECT args, kind, max_attempts, priority, queue, 'available', now() FROM lost RETURNING queue`,
		JobKind, milliseconds(lease)).Scan(ctx, &queues)
	for _, queue := range queues {
		db.Announce(enqueuedTopic(queue))
	}
	return len(queues), translate(err)
}

// RescueBackgroundJobs is RescueJobs for preparations, views, collisions, mails and webhooks. The
// new row keeps the number of attempts, because for these kinds no other table counts them.
func (db *DB) RescueBackgroundJobs(ctx context.Context, lease time.Duration) (int, error) {
	var ids []int64
	err := db.idb.NewRaw(`
		WITH lost AS (
			UPDATE river_job SET state = 'discarded', finalized_at = now()
			WHERE state = 'running' AND kind = ANY(?::text[]) AND attempted_at < now() - ?::interval
			RETURNING args, attempt, kind, max_attempts, priority, queue, unique_key, unique_states
		)
		INSERT INTO river_job (args, attempt, kind, max_attempts, priority, queue, unique_key, unique_states, state, scheduled_at)
		SELECT lost.*, 'available', now() FROM lost RETURNING id`,
		pgdialect.Array(rescuedKinds()), milliseconds(lease)).Scan(ctx, &ids)
	return len(ids), translate(err)
}

// QueueLengths counts the unfinished jobs of each kind in each state. Finished rows, which River
// keeps for a while, are left out.
func (db *DB) QueueLengths(ctx context.Context) ([]QueueLength, error) {
	var rows []struct {
		Kind, State string
		Jobs        int64
		Oldest      float64 // seconds
	}
	err := db.idb.NewRaw(`
		SELECT kind, state, count(*) AS jobs, greatest(extract(epoch FROM now() - min(scheduled_at)), 0) AS oldest
		FROM river_job WHERE state IN `+unfinishedStates+`
		GROUP BY kind, state ORDER BY kind, state`).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("count the queue: %w", translate(err))
	}
	lengths := make([]QueueLength, len(rows))
	for i, r := range rows {
		lengths[i] = QueueLength{r.Kind, r.State, r.Jobs, time.Duration(r.Oldest * float64(time.Second))}
	}
	return lengths, nil
}

// RetryQueue makes work of one kind ready that waits after an error or for the end of an outage,
// and returns how much. The next attempt of the rows is not a new one: their number of attempts
// stays.
func (db *DB) RetryQueue(ctx context.Context, kind string) (int, error) {
	var queues []string
	err := db.idb.NewRaw(`UPDATE river_job SET state = 'available', scheduled_at = now()
		WHERE kind = ? AND state IN ('retryable', 'scheduled') RETURNING queue`, kind).Scan(ctx, &queues)
	for _, queue := range slices.Compact(slices.Sorted(slices.Values(queues))) {
		db.Announce(enqueuedTopic(queue))
	}
	return len(queues), translate(err)
}

// RebuildQueueIndexes rebuilds the indexes of River's table, which grow with every job that ever
// ran. Meanwhile, for milliseconds, nothing can be enqueued. rebuild_queue_indexes runs with the
// rights of the owner, and gives up if it has not acquired the lock on the table in two seconds:
// the next day is soon enough.
func (db *DB) RebuildQueueIndexes(ctx context.Context) error {
	_, err := db.idb.ExecContext(ctx, "SELECT rebuild_queue_indexes()")
	return translate(err)
}
