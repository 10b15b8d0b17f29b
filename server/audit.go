package server

import (
	"context"
	"time"

	"portico/db"
	"portico/model"
)

// auditPageSize is the number of events that one query reads.
const auditPageSize = 500

// AuditFilter selects events of the audit trail. The zero value selects all events.
type AuditFilter struct {
	Account string    // e-mail address or id
	Since   time.Time // inclusive
}

// AuditTrail calls visit with each event, oldest first, until visit returns an error.
// It reads the events in pages, so that a long trail does not have to fit in memory.
func (o *Operator) AuditTrail(ctx context.Context, f AuditFilter, visit func(*model.SecurityEvent) error) error {
	filter := db.AuditFilter{Since: f.Since}
	if f.Account != "" {
		user, err := o.account(ctx, f.Account)
		if err != nil {
			return err
		}
		filter.UserID = user.ID
	}
	for {
		events, err := o.program.DB.AuditTrail(ctx, filter, auditPageSize)
		if err != nil {
			return err
		}
		for _, event := range events {
			if err := visit(event); err != nil {
				return err
			}
			filter.After = event.Sequence
		}
		if len(events) < auditPageSize {
			return nil
		}
	}
}
