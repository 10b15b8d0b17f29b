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
	mine := listing{table: "notifications", newest: true, where: "user_id = ?", args: []any{userID}}
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

// NotificationsAfter returns up to limit of the user's notifications behind the
// place, in order. None is returned while a transaction that is older may
// still add one before it: held tells that there is such a one, which can be
// returned soon.
func (db *DB) NotificationsAfter(ctx context.Context, userID string, p Place, limit int) (found []*model.Notification, held bool, err error) {
	var rows []struct {
		model.Notification
		Settled bool
	}
	// What is later than the snapshot knows came with a dump of another cluster.
	err = db.idb.NewRaw(`
		SELECT n.*, n.transaction < pg_snapshot_xmin(pg_current_snapshot()) AS settled
		FROM notifications AS n
		WHERE n.user_id = ? AND (n.transaction, n.sequence) > (?::xid8, ?)
			AND n.transaction < pg_snapshot_xmax(pg_current_snapshot())
			AND (? = '' OR NOT pg_visible_in_snapshot(n.transaction, nullif(?, '')::pg_snapshot))
		ORDER BY n.transaction, n.sequence LIMIT ?`,
		userID, p.Transaction, p.Sequence, p.seen, p.seen, limit).Scan(ctx, &rows)
	for i := range rows {
		// In this order, nothing that is settled follows one that is not.
		if !rows[i].Settled {
			return found, true, nil
		}
		found = append(found, &rows[i].Notification)
	}
	return found, false, translate(err)
}
