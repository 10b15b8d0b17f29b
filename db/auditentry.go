package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// auditEntries selects what operators see of the audit trail.
//
// The joins are outer ones: the trail outlives the accounts that it names, and a failed sign-in
// with an unknown name has none. The addresses are empty then.
const auditEntries = `(SELECT e.*, coalesce(u.email, '') AS user_email, coalesce(a.email, '') AS actor_email FROM audit_events AS e
	LEFT JOIN users AS u ON u.id = e.user_id LEFT JOIN users AS a ON a.id = e.actor_id) AS entries`

// AuditEntries returns a page of the events that are selected, newest first. Without a condition it
// reads the index audit_events_by_sequence backwards. The OR over two columns has no index of its
// own; operators follow one account rarely.
func (db *DB) AuditEntries(ctx context.Context, filter model.AuditEntryFilter, page model.Page) (*model.AuditEntryConnection, error) {
	rows := listing{table: auditEntries, newest: true, where: "TRUE"}
	if filter.Account != "" {
		rows.addCondition("("+belongsTo("?")+" OR actor_id = ?)", filter.Account, filter.Account)
	}
	if len(filter.Types) > 0 {
		rows.addCondition("type = ANY(?::text[])", pgdialect.Array(filter.Types))
	}
	found, err := list[model.AuditEntry](ctx, db, rows, page)
	return (*model.AuditEntryConnection)(found), err
}
