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

// This file contains every statement on River's own tables. Read them first when River is updated:
// beyond the insert that River documents for clients in other languages, they rely on the columns
// state, attempted_at, args and unique_states.

// riverAttempts is River's own limit, too high to be reached: JobAttempts decides.
const riverAttempts = 1000

const (
	// UnfinishedStates are the states of a job that will run, or runs.
	UnfinishedStates = "('available', 'pending', 'retryable', 'running', 'scheduled')"
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

// FileJobArgs are the arguments of a job of River that prepares a file, or makes its view, its
// collision or another format of it.
type FileJobArgs struct {
	ResourceKey string `json:"resource_key"`
	TraceParent string `json:"traceparent,omitempty"` // as in JobArgs
	// Format is the format to make of the file, of FormatKind; empty for the other kinds.
	Format model.ConversionTarget `json:"format,omitempty"`
}

// Enqueue adds the job to River's queue in the transaction of db, so a rollback removes
// it again. The job continues the trace of ctx.
//
// The row of a job in River's table decides when a worker starts, and the table jobs decides what
// happens. Both rows are written in one transaction, so neither exists without the other.
//
// The topic wakes a worker at once, after the commit. If it is lost, River's poll finds the row.
func (db Queue) Enqueue(ctx context.Context, jobID, requestID string) error {
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
func (db Queue) EnqueuePreparation(ctx context.Context, resourceKey string) error {
	return db.enqueueFileJob(ctx, PreparationKind, FileJobArgs{ResourceKey: resourceKey}, "")
}

// EnqueueView queues a job that makes the view of a file, unless one is waiting or running already.
// Its worker does nothing for a file that has a view by then.
func (db Queue) EnqueueView(ctx context.Context, resourceKey string) error {
	return db.enqueueFileJob(ctx, ViewKind, FileJobArgs{ResourceKey: resourceKey}, "")
}

// EnqueueCollision queues a job that makes the collision shape of a capture, unless one is waiting
// or running already. Its worker does nothing for a file that has a collision by then.
func (db Queue) EnqueueCollision(ctx context.Context, resourceKey string) error {
	return db.enqueueFileJob(ctx, CollisionKind, FileJobArgs{ResourceKey: resourceKey}, "")
}

// enqueueFormat queues a job that makes another format of a file for download, unless one is waiting
// or running already.
func (db Queue) enqueueFormat(ctx context.Context, resourceKey string, format model.ConversionTarget) error {
	return db.enqueueFileJob(ctx, FormatKind, FileJobArgs{ResourceKey: resourceKey, Format: format}, string(format))
}

// enqueueFileJob adds a job of a kind whose queue has the kind's name. It sends no
// notification: River polls every second, which is soon enough for work that nobody waits for. It
// adds nothing if an unfinished job has the same file and purpose.
//
// River computes a unique key in another way. That is not a conflict: the key only has to be equal
// for equal jobs, and these kinds are enqueued here only.
func (db Queue) enqueueFileJob(ctx context.Context, kind string, job FileJobArgs, purpose string) error {
	job.TraceParent = traceParent(ctx)
	args, err := json.Marshal(job)
	if err != nil {
		return err
	}
	unique := sha256.Sum256([]byte(kind + "\x00" + job.ResourceKey + "\x00" + purpose))
	_, err = db.idb.ExecContext(ctx, `
		INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, scheduled_at, unique_key, unique_states)
		VALUES (?, ?, ?, 1, ?, 'available', now(), ?, `+uniqueStates+`)
		ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL AND unique_states IS NOT NULL
			AND river_job_state_in_bitmask(unique_states, state) DO NOTHING`,
		string(args), kind, riverAttempts, kind, unique[:])
	if err != nil {
		return fmt.Errorf("enqueue the %s of %s: %w", kind, job.ResourceKey, translate(err))
	}
	return nil
}

// EnqueueMail adds the mail to River's queue in the transaction of db.
func (db Queue) EnqueueMail(ctx context.Context, mail model.Mail) error {
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
func (db Queue) EnqueueDeliveries(ctx context.Context, limit int) (int, error) {
	var ids []int64
	err := db.idb.NewRaw(`
		WITH oldest AS (
			SELECT DISTINCT ON (webhook_id, stream) webhook_id, stream, next_at
			FROM webhook_deliveries WHERE ended_at IS NULL ORDER BY webhook_id, stream, sequence
		), sending AS (
			SELECT w.user_id, r.args->>'webhook_id' AS webhook_id, r.args->>'stream' AS stream
			FROM river_job AS r JOIN webhooks AS w ON w.id = r.args->>'webhook_id'
			WHERE r.kind = ?0 AND r.state IN `+UnfinishedStates+`
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
func (db Queue) ExtendLease(ctx context.Context, riverIDs []int64) error {
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
func (db Queue) RescueJobs(ctx context.Context, lease time.Duration) (int, error) {
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

// RescueBackgroundJobs is RescueJobs for preparations, views, collisions, formats, mails and webhooks. The
// new row keeps the number of attempts, because for these kinds no other table counts them.
func (db Queue) RescueBackgroundJobs(ctx context.Context, lease time.Duration) (int, error) {
	var ids []int64
	err := db.idb.NewRaw(`
		WITH lost AS (
			UPDATE river_job SET state = 'discarded', finalized_at = now()
			WHERE state = 'running' AND kind = ANY(?::text[]) AND attempted_at < now() - ?::interval
			RETURNING args, attempt, kind, max_attempts, priority, queue, unique_key, unique_states
		)
		INSERT INTO river_job (args, attempt, kind, max_attempts, priority, queue, unique_key, unique_states, state, scheduled_at)
		SELECT lost.*, 'available', now() FROM lost RETURNING id`,
		pgdialect.Array(RescuedKinds()), milliseconds(lease)).Scan(ctx, &ids)
	return len(ids), translate(err)
}

// QueueLengths counts the unfinished jobs of each kind in each state. Finished rows, which River
// keeps for a while, are left out.
func (db Queue) QueueLengths(ctx context.Context) ([]QueueLength, error) {
	var rows []struct {
		Kind, State string
		Jobs        int64
		Oldest      float64 // seconds
	}
	err := db.idb.NewRaw(`
		SELECT kind, state, count(*) AS jobs, greatest(extract(epoch FROM now() - min(scheduled_at)), 0) AS oldest
		FROM river_job WHERE state IN `+UnfinishedStates+`
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
func (db Queue) RetryQueue(ctx context.Context, kind string) (int, error) {
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
func (db Queue) RebuildQueueIndexes(ctx context.Context) error {
	_, err := db.idb.ExecContext(ctx, "SELECT rebuild_queue_indexes()")
	return translate(err)
}

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
	// FormatKind is the kind that makes another format of a file, for a download.
	FormatKind = "format"
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
		JobKind, PreparationKind, ViewKind, CollisionKind, FormatKind, WebhookKind, MailKind, PurgeKind, IndexKind, SampleKind,
	}
}

// RescuedKinds returns the kinds whose attempts only River's row counts. The periodic kinds are not
// among them, because the next period repeats their work.
func RescuedKinds() []string {
	return []string{PreparationKind, ViewKind, CollisionKind, FormatKind, MailKind, WebhookKind}
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
func (db Queue) TakeTurn(ctx context.Context, riverRow int64) (*Turn, error) {
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
func (db Queue) EnqueueLostJobs(ctx context.Context, limit int) (int, error) {
	var queues []string
	err := db.idb.NewRaw(`
		WITH lost AS (
			SELECT id FROM jobs AS j
			WHERE status IN ('queued', 'processing') AND updated_at < now() - interval '1 minute' AND NOT EXISTS (
				SELECT FROM river_job AS r WHERE r.kind = ?1 AND r.state IN `+UnfinishedStates+` AND r.args ->> 'job_id' = j.id)
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

// rankQueue sets the priority of the background work that waits, so that accounts take turns. River
// takes the row with the lowest priority, from 1 to 4, and of these the oldest.
//
// The first row of an account that has had no worker lately has priority 1. Each row of the account
// before it, each one that runs, and each ten seconds that its work has taken of the workers in the
// last ten minutes count as one more: so a row of an account that keeps the workers busy waits for
// the rows of others. Within an account, rows that have waited for ten minutes come first, and then
// small files.
//
// The parts of the statement:
//
//	work    the rows that wait, run or have ended lately, with the account that they are for
//	spent   what each account has of the workers of each kind
//	ranked  the priority of each row that waits; rows whose file or webhook is gone have none
//	locked  the rows that change, in the order of their ids; River skips them meanwhile
//
// The clock of the database may go back, for example when another server becomes the primary. What
// seems to begin later then has taken no time, and what may run does not wait until then.
const rankQueue = `
	WITH work AS (
		SELECT r.id, r.kind, r.state, r.scheduled_at, coalesce(f.user_id, w.user_id, r.args ->> 'user_id', r.args ->> 'to') AS account,
			coalesce(f.size, 0) AS bytes, greatest(extract(epoch FROM coalesce(r.finalized_at, now()) - ` + startOfAttempt + `), 0) AS seconds
		FROM river_job AS r
			LEFT JOIN files AS f ON f.resource_key = r.args ->> 'resource_key'
			LEFT JOIN webhooks AS w ON w.id = r.args ->> 'webhook_id'
		WHERE r.kind = ANY(?0::text[]) AND (r.state IN ('available', 'running')
			OR r.state IN ('completed', 'discarded') AND r.finalized_at > now() - interval '10 minutes')
	), spent AS (
		SELECT kind, account, count(*) FILTER (WHERE state = 'running') + sum(seconds) / 10 AS turns
		FROM work WHERE state <> 'available' GROUP BY kind, account
	), ranked AS (
		SELECT w.id, least(4, floor(coalesce(s.turns, 0) + row_number() OVER (PARTITION BY w.kind, w.account
			ORDER BY w.scheduled_at > now() - interval '10 minutes',
				CASE WHEN w.scheduled_at > now() - interval '10 minutes' THEN w.bytes END, w.scheduled_at, w.id)))::smallint AS priority
		FROM work AS w LEFT JOIN spent AS s USING (kind, account)
		WHERE w.state = 'available' AND w.account IS NOT NULL
	), locked AS (
		SELECT r.id, ranked.priority FROM river_job AS r JOIN ranked USING (id)
		WHERE r.state = 'available' AND (r.priority <> ranked.priority OR r.scheduled_at > now() + interval '1 minute') ORDER BY r.id FOR UPDATE OF r SKIP LOCKED
	)
	UPDATE river_job AS r SET priority = locked.priority, scheduled_at = least(r.scheduled_at, now()) FROM locked WHERE r.id = locked.id`

// startOfAttempt is an expression for the start of the current attempt of a row r of River:
// ExtendLease moves attempted_at.
const startOfAttempt = `coalesce(CASE WHEN (r.metadata ->> 'leased_attempt')::int = r.attempt
	THEN (r.metadata ->> 'started_at')::timestamptz END, r.attempted_at)`

// RankQueue orders the background work that waits, so that accounts take turns. Jobs that clients
// see have TakeTurn. Work that nobody has ranked yet has priority 1, so call it every second.
func (db Queue) RankQueue(ctx context.Context) error {
	_, err := db.idb.NewRaw(rankQueue, pgdialect.Array(RescuedKinds())).Exec(ctx)
	return translate(err)
}
