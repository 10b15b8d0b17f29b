package live

import (
	"context"
	"slices"
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/model"
)

// Notifications subscribes to the caller's notifications: from now on, or after the position of a
// notification that the client has received before.
//
// The position is a cursor of a notification, so a client that was offline gets each notification
// once.
func (s *Service) Notifications(ctx context.Context, after *string) (<-chan *model.Notification, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	start, err := s.notificationStart(ctx, after)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	shared := s.notifications.subscribe(ctx, &s.engine, db.UserTopic(c.UserID),
		func(ctx context.Context, before *notificationTail) (*notificationTail, time.Duration, error) {
			if before == nil {
				now, err := s.db.Notifications().CurrentReadPosition(ctx)
				return &notificationTail{start: now.Position, end: now.Position}, 0, err
			}
			return before.grow(ctx, s, c)
		})
	feed := &notificationFeed{s, c, shared.value, start}
	return subscribe(ctx, &s.engine, shared.changes, feed, cancel), nil
}

// notificationStart returns the position after which a subscription sends notifications: the
// newest one without after.
func (s *Service) notificationStart(ctx context.Context, after *string) (db.ReadPosition, error) {
	if after == nil || *after == "" {
		return s.db.Notifications().CurrentReadPosition(ctx)
	}
	position, err := model.ParsePosition(*after)
	return db.ReadPosition{Position: position}, err
}

// notificationTail has the latest notifications of a user. All subscriptions that have received
// the earlier notifications share it; the others read the database.
//
// A tail is immutable: grow returns a new one, so readers need no lock.
type notificationTail struct {
	// list has every notification after start, up to and including end, in order.
	start, end model.Position
	list       []recentNotification
}

// recentNotification is a notification with its space, and the time at which they were read.
type recentNotification struct {
	*model.Notification
	read time.Time
}

// grow returns the tail with the notifications that came after it. It drops notifications whose
// space was read long ago, because the caller may no longer have the right to read the space. A
// tail that still has notifications must grow again after pollInterval, to drop them.
func (t *notificationTail) grow(ctx context.Context, s *Service, c *model.Caller) (_ *notificationTail, again time.Duration, err error) {
	found, more, err := s.notificationsAfter(ctx, c, db.ReadPosition{Position: t.end})
	if err != nil {
		return nil, 0, err
	}
	now := time.Now()
	grown := &notificationTail{start: t.start, end: t.end}
	grown.list = slices.Clone(t.list)
	for _, n := range found {
		grown.list = append(grown.list, recentNotification{n, now})
		grown.end = n.At()
	}
	grown.trim(now)
	switch {
	case more:
		again = moreInterval
	case len(grown.list) > 0:
		again = pollInterval
	}
	return grown, again, nil
}

// trim drops notifications that were read more than pollInterval ago, and the oldest ones over
// maxLogBytes.
//
// The age limits how long a reader may see a space that became Private: as long as a poll.
func (t *notificationTail) trim(now time.Time) {
	bytes, first := 0, len(t.list)
	for first > 0 {
		n := t.list[first-1]
		if n.Space != nil {
			bytes += n.Space.Bytes()
		}
		if now.Sub(n.read) > pollInterval || bytes > maxLogBytes {
			break
		}
		first--
	}
	if first > 0 {
		t.start, t.list = t.list[first-1].At(), t.list[first:]
	}
}

// after returns the notifications that a reader at this place does not have. known is false where
// the tail starts after this place, or one of the notifications was read long ago.
//
// The reader then reads the database itself, and joins the tail when it has caught up.
func (t *notificationTail) after(place db.ReadPosition) (found []*model.Notification, known bool) {
	if place.Compare(t.start) < 0 {
		return nil, false
	}
	for _, n := range t.list {
		switch {
		case place.Includes(n.Notification):
		case time.Since(n.read) > pollInterval:
			return nil, false
		default:
			found = append(found, n.Notification)
		}
	}
	return found, true
}

// notificationsAfter reads a batch of the caller's notifications after a place, with their
// spaces.
func (s *Service) notificationsAfter(ctx context.Context, c *model.Caller, place db.ReadPosition) (found []*model.Notification, more bool, err error) {
	found, held, err := s.db.Notifications().NotificationsAfter(ctx, c.UserID, place, db.Batch{Rows: feedBatch, Bytes: feedBytes})
	if err != nil {
		return nil, false, err
	}
	return found, held || len(found) == feedBatch, s.access.AttachSpaces(ctx, c, found)
}

// notificationFeed is the feed of a user's notifications. It sends each once.
type notificationFeed struct {
	*Service
	caller *model.Caller
	tail   func(ctx context.Context) (*notificationTail, error)
	place  db.ReadPosition // where the reader is: after the last notification that it has received
}

var _ feed[*model.Notification] = (*notificationFeed)(nil)

func (f *notificationFeed) read(ctx context.Context) ([]*model.Notification, bool, error) {
	tail, err := f.tail(ctx)
	if err != nil {
		return nil, false, err
	}
	if found, known := tail.after(f.place); known {
		return found, false, nil
	}
	if err := f.slots.Acquire(ctx, 1); err != nil {
		return nil, false, err
	}
	defer f.slots.Release(1)
	found, more, err := f.notificationsAfter(ctx, f.caller, f.place)
	if err == nil && len(found) == 0 && !more {
		f.place = f.place.AdvanceTo(tail.end) // from here on the tail is enough
	}
	return found, more, err
}

// markDelivered implements feed. Notifications have no last item.
func (f *notificationFeed) markDelivered(n *model.Notification) bool {
	f.place = f.place.After(n)
	return false
}
