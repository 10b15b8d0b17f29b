package operator

import (
	"context"
	"time"

	"portico/db"
	"portico/model"
)

// auditPageSize is the number of events that one query reads.
const auditPageSize = 500

// AuditTrail calls visit with each event of an account at or after a time, oldest first, until visit
// returns an error. The account is an e-mail address or an id, or empty for all accounts. The zero
// time means no limit.
//
// It reads the events in pages, so that a long trail does not have to fit in memory.
func (o *Operator) AuditTrail(ctx context.Context, account string, since time.Time, visit func(*model.SecurityEvent) error) error {
	filter := db.AuditFilter{Since: since}
	if account != "" {
		user, err := o.account(ctx, account)
		if err != nil {
			return err
		}
		filter.UserID = user.ID
	}
	for {
		events, err := o.program.DB.Audit().AuditTrail(ctx, filter, auditPageSize)
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
