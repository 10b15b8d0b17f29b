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

// NotificationPosition returns the place behind which everything is that becomes
// visible from now on.
func (db *DB) NotificationPosition(ctx context.Context) (model.Position, error) {
	var p model.Position
	// All transactions before the oldest one that still runs have ended. The
	// place is before that one's first notification.
	err := db.idb.NewRaw("SELECT pg_snapshot_xmin(pg_current_snapshot())::text").Scan(ctx, &p.Transaction)
	return p, translate(err)
}

// NotificationsAfter returns up to limit of the user's notifications behind the
// position, in order. None is returned while a transaction that is older may
// still add one before it: held tells that there is such a one, which can be
// returned soon.
func (db *DB) NotificationsAfter(ctx context.Context, userID string, p model.Position, limit int) (found []*model.Notification, held bool, err error) {
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
		ORDER BY n.transaction, n.sequence LIMIT ?`,
		userID, p.Transaction, p.Sequence, limit).Scan(ctx, &rows)
	for i := range rows {
		// In this order, nothing that is settled follows one that is not.
		if !rows[i].Settled {
			return found, true, nil
		}
		found = append(found, &rows[i].Notification)
	}
	return found, false, translate(err)
}
