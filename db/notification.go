package db

import (
	"context"

	"portico/model"
)

// NotifyFollowers tells each follower of the space's owner that the space was
// published. Call it in the transaction that publishes.
func (db *DB) NotifyFollowers(ctx context.Context, space *model.Space) error {
	var told []string
	err := db.idb.NewRaw(`
		INSERT INTO notifications (user_id, type, space_id)
		SELECT follower_id, ?, ? FROM follows WHERE user_id = ? RETURNING user_id`,
		model.SpacePublished, space.ID, space.OwnerID).Scan(ctx, &told)
	if err != nil {
		return translate(err)
	}
	for _, id := range told {
		db.Announce(UserTopic(id))
	}
	return nil
}

// Notifications returns a page of the user's notifications, newest first.
func (db *DB) Notifications(ctx context.Context, userID string, page model.Page) (*model.NotificationConnection, error) {
	mine := listing{
		table: "notifications", newest: true, where: "user_id = ?", args: []any{userID},
		size: "coalesce((SELECT " + spaceSize + " FROM spaces WHERE id = space_id), 0)",
	}
	notifications, err := list[model.Notification](ctx, db, mine, page)
	return (*model.NotificationConnection)(notifications), err
}

// Place is where a reader of notifications stands.
type Place struct {
	model.Position
	// seen is the snapshot in which the reader began: what was visible then is not
	// for it, wherever it lies. Empty for a reader who goes on at a position.
	seen string
}

// Behind returns the place of the same reader behind a notification.
func (p Place) Behind(n *model.Notification) Place { return Place{n.At(), p.seen} }

// NotificationPlace returns the place behind which everything is that becomes
// visible from now on, and nothing else.
func (db *DB) NotificationPlace(ctx context.Context) (Place, error) {
	var p Place
	// All transactions before the oldest one that still runs have ended. The
	// place is before that one's first notification; of those behind it some may
	// have ended.
	err := db.idb.NewRaw(`
		SELECT pg_snapshot_xmin(s)::text, s::text FROM pg_current_snapshot() AS s`).Scan(ctx, &p.Transaction, &p.seen)
	return p, translate(err)
}

// Batch bounds what one read returns: so many rows, and no more once what is shown
// with them has so many bytes.
type Batch struct{ Rows, Bytes int }

// NotificationsAfter returns a batch of the user's notifications behind the place,
// in order, bounded by the bytes of the spaces that they tell of. None is returned while a transaction that is older may
// still add one before it: held reports that there is such a one, or that the bytes end
// the batch, and that more can be returned soon.
func (db *DB) NotificationsAfter(ctx context.Context, userID string, p Place, most Batch) (found []*model.Notification, held bool, err error) {
	var rows []struct {
		model.Notification
		Settled bool
		Before  int // bytes of the spaces of those before it
	}
	// What is later than the snapshot knows came with a dump of another cluster.
	err = db.idb.NewRaw(`
		SELECT n.*, n.transaction < pg_snapshot_xmin(pg_current_snapshot()) AS settled,
			sum(`+spaceSize+`) OVER (ORDER BY n.transaction, n.sequence) - (`+spaceSize+`) AS before
		FROM notifications AS n JOIN spaces AS s ON s.id = n.space_id
		WHERE n.user_id = ? AND (n.transaction, n.sequence) > (?::xid8, ?)
			AND n.transaction < pg_snapshot_xmax(pg_current_snapshot())
			AND (? = '' OR NOT pg_visible_in_snapshot(n.transaction, nullif(?, '')::pg_snapshot))
		ORDER BY n.transaction, n.sequence LIMIT ?`,
		userID, p.Transaction, p.Sequence, p.seen, p.seen, most.Rows).Scan(ctx, &rows)
	for i := range rows {
		// In this order, nothing that is settled follows one that is not.
		if !rows[i].Settled || rows[i].Before >= max(1, most.Bytes) {
			return found, true, nil
		}
		found = append(found, &rows[i].Notification)
	}
	return found, false, translate(err)
}
