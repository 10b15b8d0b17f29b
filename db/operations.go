package db

import (
	"context"
	"encoding/json"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// maxEvents is the maximum number of events of one type per account and day. One more is recorded
// with the reason model.EventReasonLaterEventsDropped, and further events are not, so that nobody
// can fill the disk by creating and deleting.
const maxEvents = 2000

// maxFailures is maxEvents for failed sign-ins, which anybody can cause: for an account,
// or for all unknown names together.
const maxFailures = 200

// AddSecurityEvent adds the event to the audit trail. Call it in the transaction of the
// change that it records, so that neither is stored without the other.
//
// The condition counts at most limit rows and one by the index audit_events_by_type, so the cost of
// an event does not grow with the trail. Concurrent events may pass the limit together by a few:
// the limit protects the disk, and needs no lock. Dropping an event over the limit never fails the
// change that it records. The event before the dropped ones says so, or a flood of events could
// hide what happens after it.
func (db Audit) AddSecurityEvent(ctx context.Context, e *model.SecurityEvent) error {
	limit := maxEvents
	if e.Type == model.EventSignInFailed {
		limit = maxFailures
	}
	account, args := belongsTo("?"), []any{e.UserID}
	if e.UserID == "" {
		account, args = "user_id IS NULL", nil
	}
	changes, err := json.Marshal(e.Changes)
	if err != nil {
		return err
	}
	values := []any{
		e.ID, e.UserID, e.ActorID, e.Type, e.Method, e.Door, e.Address, e.Subject, e.Title,
		limit, e.Reason, model.EventReasonLaterEventsDropped, e.TakedownReason, string(changes), e.RequestID, e.Type,
	}
	_, err = db.idb.ExecContext(ctx, `
		INSERT INTO audit_events (id, user_id, actor_id, type, method, door, address, subject, title,
			reason, takedown_reason, changes, request_id)
		SELECT ?, nullif(?, ''), nullif(?, ''), ?, nullif(?, ''), nullif(?, ''), nullif(?, ''), nullif(?, ''), nullif(?, ''),
			CASE WHEN count < ? THEN nullif(?, '') ELSE ? END, nullif(?, ''), nullif(?, 'null')::jsonb, nullif(?, '')
		FROM (SELECT count(*) FROM (SELECT FROM audit_events
			WHERE type = ? AND `+account+` AND created_at > now() - interval '1 day' LIMIT ?) AS events) AS today
		WHERE count <= ?`,
		append(append(values, args...), limit+1, limit)...)
	return translate(err)
}

// record adds an event about the account to the audit trail. The subject identifies the object of
// the event, and the title is for people.
func (db Audit) record(ctx context.Context, kind model.SecurityEventType, userID, subject, title string) error {
	return db.AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, kind, userID).WithSubject(subject, title))
}

// SecurityEvent returns an event of the account's audit trail.
func (db Audit) SecurityEvent(ctx context.Context, userID, id string) (*model.SecurityEvent, error) {
	event := new(model.SecurityEvent)
	err := db.idb.NewRaw("SELECT * FROM audit_events WHERE "+belongsTo("?")+" AND id = ?", userID, id).Scan(ctx, event)
	event.HideOperator()
	return event, translateNotFound(err, model.SecurityEventNotFound)
}

// SecurityEvents returns a page of the account's audit trail, newest first.
//
// It reads the index audit_events_by_user backwards. HideOperator removes who acted where that was
// an operator: an account sees what happened to it, not which person of the operator did it.
func (db Audit) SecurityEvents(ctx context.Context, userID string, page model.Page) (*model.SecurityEventConnection, error) {
	owned := listing{table: "audit_events", newest: true, where: belongsTo("?"), args: []any{userID}}
	events, err := list[model.SecurityEvent](ctx, db.DB, owned, page)
	if err != nil {
		return nil, err
	}
	for _, event := range events.Nodes {
		event.HideOperator()
	}
	return (*model.SecurityEventConnection)(events), nil
}

// AuditFilter selects events of the audit trail.
//
// The command line exports the trail with it, page by page.
type AuditFilter struct {
	UserID string    // "" for all accounts and for sign-ins with unknown names
	Since  time.Time // zero for no limit
	After  int64     // the page starts after this Sequence
}

// AuditTrail returns up to limit events, oldest first.
func (db Audit) AuditTrail(ctx context.Context, f AuditFilter, limit int) ([]*model.SecurityEvent, error) {
	var events []*model.SecurityEvent
	query := db.idb.NewSelect().Table("audit_events").Where("sequence > ?", f.After).Order("sequence").Limit(int64(limit))
	if f.UserID != "" {
		query = query.Where(belongsTo("?"), f.UserID)
	}
	if !f.Since.IsZero() {
		query = query.Where("created_at >= ?", f.Since.UTC())
	}
	err := query.Scan(ctx, &events)
	return events, translate(err)
}

// PurgeAuditTrail deletes up to limit events that are older than keep, by the clock of the
// database, and returns how many. It never deletes an event within a day. The application's role
// may not delete from the table (see rights). purge_audit_events runs with the rights of the owner,
// and keeps a day whatever it is asked, so somebody who takes the application over cannot erase the
// traces of that.
func (db Audit) PurgeAuditTrail(ctx context.Context, keep time.Duration, limit int) (int, error) {
	var purged int
	err := db.idb.NewRaw("SELECT purge_audit_events(? * interval '1 second', ?)", keep.Seconds(), limit).Scan(ctx, &purged)
	return purged, translate(err)
}

// auditEntries selects what operators see of the audit trail.
//
// The joins are outer ones: the trail outlives the accounts that it names, and a failed sign-in
// with an unknown name has none. The addresses are empty then.
const auditEntries = `(SELECT e.*, coalesce(u.email, '') AS user_email, coalesce(a.email, '') AS actor_email FROM audit_events AS e
	LEFT JOIN users AS u ON u.id = e.user_id LEFT JOIN users AS a ON a.id = e.actor_id) AS entries`

// AuditEntries returns a page of the events that are selected, newest first. Without a condition it
// reads the index audit_events_by_sequence backwards. The OR over two columns has no index of its
// own; operators follow one account rarely.
func (db Audit) AuditEntries(ctx context.Context, filter model.AuditEntryFilter, page model.Page) (*model.AuditEntryConnection, error) {
	rows := listing{table: auditEntries, newest: true, where: "TRUE"}
	if filter.Account != "" {
		rows.addCondition("("+belongsTo("?")+" OR actor_id = ?)", filter.Account, filter.Account)
	}
	if len(filter.Types) > 0 {
		rows.addCondition("type = ANY(?::text[])", pgdialect.Array(filter.Types))
	}
	found, err := list[model.AuditEntry](ctx, db.DB, rows, page)
	return (*model.AuditEntryConnection)(found), err
}

// currentState selects the numbers of a sample except requests, as they are now. Its two
// parameters are the seconds in which failed jobs count.
const currentState = `SELECT f.bytes + (SELECT coalesce(sum(bytes), 0) FROM json_usage) + (SELECT coalesce(sum(bytes), 0) FROM history_usage) AS storage_bytes,
		f.files, (SELECT count(*) FROM users) AS accounts, (SELECT count(*) FROM spaces) AS spaces,
		j.waiting AS jobs_waiting, j.running AS jobs_running, j.failed AS jobs_failed
	FROM (SELECT count(*) AS files, coalesce(sum(size + derived_bytes), 0) AS bytes FROM files) AS f,
		(SELECT count(*) FILTER (WHERE status = 'queued') AS waiting, count(*) FILTER (WHERE status = 'processing') AS running,
			count(*) FILTER (WHERE status = 'failed' AND ended_at > now() - ? * interval '1 second') AS failed
			FROM jobs WHERE ended_at IS NULL OR ended_at > now() - ? * interval '1 second') AS j`

// AddSample stores the state of the server now, once in each model.SampleInterval, and deletes
// samples and counts of requests that are older than model.SampleAge. It is one statement, which
// sums the sizes of all files: run it in one process.
//
// The time is rounded down to the interval, and a taken one is left alone, so that replicas that
// run it together store one sample.
func (db Operations) AddSample(ctx context.Context) error {
	age, seconds := model.SampleAge.Seconds(), model.SampleInterval.Seconds()
	_, err := db.idb.ExecContext(ctx, `
		WITH purged AS (DELETE FROM samples WHERE at < now() - ? * interval '1 second'),
			forgotten AS (DELETE FROM request_counts WHERE at < now() - ? * interval '1 second')
		INSERT INTO samples (at, storage_bytes, files, accounts, spaces, jobs_waiting, jobs_running, jobs_failed)
		SELECT to_timestamp(floor(extract(epoch FROM now()) / ?) * ?), state.* FROM (`+currentState+`) AS state
		ON CONFLICT (at) DO NOTHING`, age, age, seconds, seconds, seconds, seconds)
	return translate(err)
}

// AddRequests adds requests that a server handled, and how many of them failed, to the counts of
// this minute.
//
// Each process adds to the same row, which it holds locked for the length of one statement.
func (db Operations) AddRequests(ctx context.Context, requests, errors int64) error {
	_, err := db.idb.ExecContext(ctx, `
		INSERT INTO request_counts (at, requests, errors) VALUES (date_trunc('minute', now()), ?, ?)
		ON CONFLICT (at) DO UPDATE SET requests = request_counts.requests + EXCLUDED.requests,
			errors = request_counts.errors + EXCLUDED.errors`, requests, errors)
	return translate(err)
}

// Samples returns the highest numbers of each of up to model.MaxSamples equal spans of time from
// since, oldest first, and then the state now. It leaves out spans without samples. It sums the
// sizes of all files: only operators may call it.
func (db Operations) Samples(ctx context.Context, since time.Time) ([]*model.Sample, error) {
	span := max(model.SampleInterval, time.Since(since)/model.MaxSamples).Seconds()
	interval := model.SampleInterval.Seconds()
	samples := []*model.Sample{}
	// A sample of 12:05 has the requests from 12:00 to 12:05, as it has the failed jobs.
	err := db.idb.NewRaw(`
		WITH counted AS (
			SELECT to_timestamp((floor(extract(epoch FROM at) / ?) + 1) * ?) AS at, sum(requests)::bigint AS requests, sum(errors)::bigint AS errors
			FROM request_counts WHERE at >= ?::timestamptz - ? * interval '1 second' GROUP BY 1),
		past AS (
			SELECT to_timestamp(floor(extract(epoch FROM at) / ?) * ?) AS at, max(storage_bytes) AS storage_bytes, max(files) AS files,
				max(accounts) AS accounts, max(spaces) AS spaces, max(jobs_waiting) AS jobs_waiting, max(jobs_running) AS jobs_running,
				max(jobs_failed) AS jobs_failed, coalesce(max(requests), 0) AS requests, coalesce(max(errors), 0) AS errors
			FROM samples LEFT JOIN counted USING (at) WHERE at >= ? GROUP BY 1 ORDER BY 1 LIMIT ?),
		latest AS (
			SELECT coalesce(sum(requests), 0)::bigint AS requests, coalesce(sum(errors), 0)::bigint AS errors
			FROM request_counts WHERE at > now() - ? * interval '1 second')
		SELECT * FROM past
		UNION ALL SELECT now(), state.*, latest.* FROM (`+currentState+`) AS state, latest
		ORDER BY at`, interval, interval, since, interval, span, span, since, model.MaxSamples+2, interval, interval, interval).Scan(ctx, &samples)
	return samples, translate(err)
}

// EarlierClock returns now or the time of the database, whichever is earlier. Rows that are
// deleted after some time are compared with it, so that neither clock alone, when it
// jumps ahead, deletes a row early. For the same reason the start of such a time, for
// example the end of a job, is the later of the two.
//
// With the time of the server alone, a server whose clock is ahead would purge jobs that ended a
// minute ago. With the time of the database alone, a database whose clock is ahead would. So rows
// are deleted early only if both clocks are ahead.
func (db Operations) EarlierClock(ctx context.Context, now time.Time) (time.Time, error) {
	var earlier model.Time
	err := db.idb.NewRaw("SELECT least(now(), ?)", now.UTC()).Scan(ctx, &earlier)
	return earlier.Time, translate(err)
}
