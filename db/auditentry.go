package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// auditEntries selects what operators see of the audit trail.
const auditEntries = `(SELECT e.*, coalesce(u.email, '') AS user_email, coalesce(a.email, '') AS actor_email FROM audit_events AS e
	LEFT JOIN users AS u ON u.id = e.user_id LEFT JOIN users AS a ON a.id = e.actor_id) AS entries`

// AuditEntries returns a page of the events that are selected, newest first.
func (db *DB) AuditEntries(ctx context.Context, selection model.AuditSelection, page model.Page) (*model.AuditEntryConnection, error) {
	rows := listing{table: auditEntries, newest: true, where: "TRUE"}
	if selection.Account != "" {
		rows.filterWithoutTotal("(user_id = ? OR actor_id = ?)", selection.Account, selection.Account)
	}
	if len(selection.Types) > 0 {
		rows.filterWithoutTotal("type = ANY(?::text[])", pgdialect.Array(selection.Types))
	}
	found, err := list[model.AuditEntry](ctx, db, rows, page)
	return (*model.AuditEntryConnection)(found), err
}
