package graph

import (
	"context"

	"portico/model"
)

// securityEvent returns an event of the caller's audit trail.
func (r *Resolver) securityEvent(ctx context.Context, id string) (*model.SecurityEvent, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if !isPrintableASCII(id) {
		return nil, model.NotFound(model.SecurityEventNotFound)
	}
	return r.DB.SecurityEvent(ctx, c.UserID, id)
}

// securityEvents returns a page of the account's audit trail, newest first. It checks no rights:
// its callers pass the account of the caller.
func (r *Resolver) securityEvents(ctx context.Context, userID string, args pager) (*model.SecurityEventConnection, error) {
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	return r.DB.SecurityEvents(ctx, userID, page)
}
