package db

import (
	"context"
	"time"

	"portico/model"
)

// mostEvents is how many events of a type an account has in a day; what comes on
// top is not recorded, so that nobody fills the disk by deleting what they make.
const mostEvents = 2000

// mostFailures is mostEvents for sign-ins that failed: guessers make them, for an
// account, or for all names together that belong to none.
const mostFailures = 200

// AddSecurityEvent adds the event to the audit trail. Call it in the transaction of
// the change that it tells of: then there is neither without the other.
func (db *DB) AddSecurityEvent(ctx context.Context, e *model.SecurityEvent) error {
	most := mostEvents
	if e.Type == model.EventSignInFailed {
		most = mostFailures
	}
	whose, args := "user_id = ?", []any{e.UserID}
	if e.UserID == "" {
		whose, args = "user_id IS NULL", nil
	}
	values := []any{e.ID, e.UserID, e.Type, e.Method, e.Door, e.Address, e.Subject, e.Detail, e.RequestID, e.Type}
	_, err := db.idb.ExecContext(ctx, `
		INSERT INTO audit_events (id, user_id, type, method, door, address, subject, detail, request_id)
		SELECT ?, nullif(?, ''), ?, nullif(?, ''), nullif(?, ''), nullif(?, ''), nullif(?, ''), nullif(?, ''), nullif(?, '')
		WHERE (SELECT count(*) FROM (SELECT FROM audit_events
			WHERE type = ? AND `+whose+` AND created_at > now() - interval '1 day' LIMIT ?) AS today) < ?`,
		append(append(values, args...), most, most)...)
	return translate(err)
}

// record adds an event about the account to the audit trail.
func (db *DB) record(ctx context.Context, kind model.SecurityEventType, userID, subject, detail string) error {
	return db.AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, kind, userID).About(subject, detail))
}

// SecurityEvents returns a page of what is recorded about the account, newest first.
func (db *DB) SecurityEvents(ctx context.Context, userID string, page model.Page) (*model.SecurityEventConnection, error) {
	mine := listing{table: "audit_events", newest: true, where: "user_id = ?", args: []any{userID}}
	events, err := list[model.SecurityEvent](ctx, db, mine, page)
	return (*model.SecurityEventConnection)(events), err
}

// AuditFilter chooses events of the audit trail.
type AuditFilter struct {
	UserID string    // "" for all accounts, and for sign-ins of nobody's
	Since  time.Time // the zero time for all that are kept
	After  int64     // the Sequence that the page begins after
}

// AuditTrail returns up to limit events, oldest first.
func (db *DB) AuditTrail(ctx context.Context, f AuditFilter, limit int) ([]*model.SecurityEvent, error) {
	var events []*model.SecurityEvent
	query := db.idb.NewSelect().Table("audit_events").Where("sequence > ?", f.After).Order("sequence").Limit(int64(limit))
	if f.UserID != "" {
		query = query.Where("user_id = ?", f.UserID)
	}
	if !f.Since.IsZero() {
		query = query.Where("created_at >= ?", f.Since.UTC())
	}
	err := query.Scan(ctx, &events)
	return events, translate(err)
}

// PurgeAuditTrail deletes up to limit events that are older than keep, by the clock
// of the database, and returns how many. It keeps a day at least.
func (db *DB) PurgeAuditTrail(ctx context.Context, keep time.Duration, limit int) (int, error) {
	var purged int
	err := db.idb.NewRaw("SELECT purge_audit_events(? * interval '1 second', ?)", keep.Seconds(), limit).Scan(ctx, &purged)
	return purged, translate(err)
}
