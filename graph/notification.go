package graph

import (
	"context"

	"portico/graph/access"
	"portico/model"
)

// Notifications returns a page of the caller's notifications, newest first.
func (r *Resolver) Notifications(ctx context.Context, args model.Pager) (*model.NotificationConnection, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	found, err := r.db.Notifications().Notifications(ctx, c.UserID, page)
	if err != nil {
		return nil, err
	}
	return found, r.access.AttachSpaces(ctx, c, found.Nodes)
}

// Notification returns a notification of the caller.
func (r *Resolver) Notification(ctx context.Context, id string) (*model.Notification, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if !access.IsPrintableASCII(id) {
		return nil, model.NotFound(model.NotificationNotFound)
	}
	found, err := r.db.Notifications().Notification(ctx, c.UserID, id)
	if err != nil {
		return nil, err
	}
	return found, r.access.AttachSpaces(ctx, c, []*model.Notification{found})
}
