package graph

import (
	"context"

	"portico/graph/access"
	"portico/model"
)

// SecurityEvent returns an event of the caller's audit trail.
func (r *Resolver) SecurityEvent(ctx context.Context, id string) (*model.SecurityEvent, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if !access.IsPrintableASCII(id) {
		return nil, model.NotFound(model.SecurityEventNotFound)
	}
	return r.db.Audit().SecurityEvent(ctx, c.UserID, id)
}

// SecurityEvents returns a page of the audit trail of the caller's own account, newest first; nil
// for other accounts.
func (r *Resolver) SecurityEvents(ctx context.Context, userID string, args model.Pager) (*model.SecurityEventConnection, error) {
	return pageOfOwnAccount(ctx, userID, args, r.db.Audit().SecurityEvents)
}
