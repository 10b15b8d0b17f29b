package server

import (
	"context"
	"strings"
	"time"

	"portico/db"
	"portico/model"
)

// auditPageSize is the number of events that one query reads.
const auditPageSize = 500

// AuditFilter chooses events of the audit trail; the zero value chooses all.
type AuditFilter struct {
	Account string // e-mail address or id
	Since   time.Time
}

// AuditTrail calls visit with each event, oldest first, until visit returns an error.
// It reads the events in pages, so that a long trail needs no memory.
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

// account returns the account with this address or id.
func (o *Operator) account(ctx context.Context, name string) (*model.User, error) {
	if !strings.Contains(name, "@") {
		return o.program.DB.User(ctx, name)
	}
	email, err := model.NormalizeEmail(name)
	if err != nil {
		return nil, err
	}
	return o.program.DB.UserByEmail(ctx, email)
}
