package db

import (
	"context"
	"encoding/json"
	"time"

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
func (db *DB) AddSecurityEvent(ctx context.Context, e *model.SecurityEvent) error {
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
func (db *DB) record(ctx context.Context, kind model.SecurityEventType, userID, subject, title string) error {
	return db.AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, kind, userID).WithSubject(subject, title))
}

// SecurityEvent returns an event of the account's audit trail.
func (db *DB) SecurityEvent(ctx context.Context, userID, id string) (*model.SecurityEvent, error) {
	event := new(model.SecurityEvent)
	err := db.idb.NewRaw("SELECT * FROM audit_events WHERE "+belongsTo("?")+" AND id = ?", userID, id).Scan(ctx, event)
	event.HideOperator()
	return event, translateNotFound(err, model.SecurityEventNotFound)
}

// SecurityEvents returns a page of the account's audit trail, newest first.
//
// It reads the index audit_events_by_user backwards. HideOperator removes who acted where that was
// an operator: an account sees what happened to it, not which person of the operator did it.
func (db *DB) SecurityEvents(ctx context.Context, userID string, page model.Page) (*model.SecurityEventConnection, error) {
	owned := listing{table: "audit_events", newest: true, where: belongsTo("?"), args: []any{userID}}
	events, err := list[model.SecurityEvent](ctx, db, owned, page)
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
func (db *DB) AuditTrail(ctx context.Context, f AuditFilter, limit int) ([]*model.SecurityEvent, error) {
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
func (db *DB) PurgeAuditTrail(ctx context.Context, keep time.Duration, limit int) (int, error) {
	var purged int
	err := db.idb.NewRaw("SELECT purge_audit_events(? * interval '1 second', ?)", keep.Seconds(), limit).Scan(ctx, &purged)
	return purged, translate(err)
}
