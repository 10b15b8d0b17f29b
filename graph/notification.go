package graph

import (
	"context"
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/model"
)

// notifications returns a page of the caller's notifications, newest first.
func (r *Resolver) notifications(ctx context.Context, args model.Pager) (*model.NotificationConnection, error) {
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
	return found, r.attachSpaces(ctx, c, found.Nodes)
}

// notification returns a notification of the caller.
func (r *Resolver) notification(ctx context.Context, id string) (*model.Notification, error) {
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
	return found, r.attachSpaces(ctx, c, []*model.Notification{found})
}

// attachSpaces sets the spaces of the notifications, with one query. It leaves out spaces that the
// caller may no longer read.
func (r *Resolver) attachSpaces(ctx context.Context, c *model.Caller, notifications []*model.Notification) error {
	if len(notifications) == 0 {
		return nil
	}
	ids := make([]string, len(notifications))
	for i, notification := range notifications {
		ids[i] = notification.SpaceID
	}
	spaces, err := r.db.Spaces().SpacesByID(ctx, ids)
	if err != nil {
		return err
	}
	for _, notification := range notifications {
		if space := spaces[notification.SpaceID]; space != nil && access.MayRead(c, space) {
			notification.Space = space
		}
	}
	return nil
}

// Notifications subscribes to the caller's notifications: from now on, or after the position of a
// notification that the client has received before.
//
// The position is a cursor of a notification, so a client that was offline gets each notification
// once.
func (r Subscriptions) Notifications(ctx context.Context, after *string) (<-chan *model.Notification, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	start, err := r.notificationStart(ctx, deref(after))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	shared := r.notificationReads.subscribe(ctx, r.Resolver, db.UserTopic(c.UserID),
		func(ctx context.Context, before *notificationTail) (*notificationTail, time.Duration, error) {
			if before == nil {
				now, err := r.db.Notifications().CurrentReadPosition(ctx)
				return &notificationTail{start: now.Position, end: now.Position}, 0, err
			}
			return before.grow(ctx, r.Resolver, c)
		})
	feed := &notificationFeed{r.Resolver, c, shared.value, start}
	return subscribe(ctx, r.Resolver, shared.changes, feed, cancel), nil
}

// notificationStart returns the position after which a subscription sends notifications: the
// newest one for an empty after.
func (r *Resolver) notificationStart(ctx context.Context, after string) (db.ReadPosition, error) {
	if after == "" {
		return r.db.Notifications().CurrentReadPosition(ctx)
	}
	position, err := model.ParsePosition(after)
	return db.ReadPosition{Position: position}, err
}
