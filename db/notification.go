package db

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"portico/model"
)

// NotifyFollowers adds a notification of the published space for each follower of its
// owner. Call it in the transaction that publishes the space.
//
// It is one statement for any number of followers. The transaction column of the rows gets the id
// of this transaction, by which readers order them.
//
// It leaves out a follower whose account is locked for its deletion. Otherwise the foreign key of
// the notification would wait for the deletion, and then fail the publication. A change of the
// e-mail address locks the account in the same way, for milliseconds.
func (db Notifications) NotifyFollowers(ctx context.Context, space *model.Space) error {
	var followers []string
	err := db.idb.NewRaw(`
		INSERT INTO notifications (user_id, type, space_id)
		SELECT u.id, ?, ? FROM follows AS f JOIN users AS u ON u.id = f.follower_id WHERE f.`+belongsTo("?")+`
		FOR KEY SHARE OF u SKIP LOCKED RETURNING user_id`,
		model.SpacePublished, space.ID, space.OwnerID).Scan(ctx, &followers)
	if err != nil {
		return translate(err)
	}
	for _, id := range followers {
		db.Announce(UserTopic(id))
	}
	return nil
}

// Notifications returns a page of the user's notifications, newest first.
//
// The size is the size of the space that is shown with the row, because a notification itself is
// small.
func (db Notifications) Notifications(ctx context.Context, userID string, page model.Page) (*model.NotificationConnection, error) {
	owned := listing{
		table: "notifications", newest: true, where: belongsTo("?"), args: []any{userID},
		size: "coalesce((SELECT " + spaceSize() + " FROM spaces WHERE id = space_id), 0)",
	}
	notifications, err := list[model.Notification](ctx, db.DB, owned, page)
	return (*model.NotificationConnection)(notifications), err
}

// Notification returns a notification of the user, or model.NotificationNotFound.
func (db Notifications) Notification(ctx context.Context, userID, id string) (*model.Notification, error) {
	notification := new(model.Notification)
	err := db.idb.NewSelect().Model(notification).Where(belongsTo("?")+" AND id = ?", userID, id).Scan(ctx)
	return notification, translateNotFound(err, model.NotificationNotFound)
}

// ReadPosition is how far a reader has read the notifications.
//
// A position is a transaction and a sequence. The sequence alone is not enough: it is assigned
// before the commit, so a reader that has seen 7 could miss 6, which commits later. A notification
// counts as read in the order of the transactions, and is sent when every older transaction has
// ended.
type ReadPosition struct {
	model.Position
	// snapshot is the Postgres snapshot in which the reader started. Notifications that were
	// visible then are skipped, whatever their position. Empty for a reader that resumes at a
	// position.
	snapshot string
}

// After returns the position of the same reader after a notification.
func (p ReadPosition) After(n *model.Notification) ReadPosition {
	return ReadPosition{n.At(), p.snapshot}
}

// AdvanceTo returns the position of the same reader after it has read everything up to a position.
func (p ReadPosition) AdvanceTo(position model.Position) ReadPosition {
	if p.Compare(position) < 0 {
		p.Position = position
	}
	return p
}

// Includes reports whether the reader has read the notification, or must not get it because it is
// older than the reader.
func (p ReadPosition) Includes(n *model.Notification) bool {
	return n.At().Compare(p.Position) <= 0 || visible(n.Transaction, p.snapshot)
}

// visible reports whether a transaction is visible in a snapshot, as Postgres writes it:
// xmin:xmax:transactions in progress. The empty snapshot sees nothing. It is pg_visible_in_snapshot
// in Go, for rows that are in memory.
func visible(transaction, snapshot string) bool {
	parts := strings.Split(snapshot, ":")
	if len(parts) != 3 {
		return false
	}
	id, xmin, xmax := transactionID(transaction), transactionID(parts[0]), transactionID(parts[1])
	if id < xmin || id >= xmax {
		return id < xmin
	}
	return !slices.Contains(strings.Split(parts[2], ","), transaction)
}

// transactionID parses the id of a transaction that Postgres wrote.
func transactionID(text string) uint64 {
	id, _ := strconv.ParseUint(text, 10, 64)
	return id
}

// CurrentReadPosition returns the position of a reader that gets exactly the notifications that
// become visible from now on. It is taken when a subscription starts.
func (db Notifications) CurrentReadPosition(ctx context.Context) (ReadPosition, error) {
	var p ReadPosition
	// All transactions before the oldest running one have ended, so the position is its
	// first notification. Some of the later transactions have ended too: their
	// notifications are in the snapshot.
	err := db.idb.NewRaw(`
		SELECT pg_snapshot_xmin(s)::text, s::text FROM pg_current_snapshot() AS s`).Scan(ctx, &p.Transaction, &p.snapshot)
	return p, translate(err)
}

// Batch limits one read: the number of rows, and the bytes of the spaces that are shown
// with them.
type Batch struct{ Rows, Bytes int }

// NotificationsAfter returns a batch of the user's notifications after the position, in
// order. It holds a notification back while an older transaction may still add one before
// it. held reports that notifications were held back, for that reason or because the
// batch has reached its bytes: the caller reads again soon.
//
// It reads notifications_by_transaction from the position on. A transaction that runs for long
// delays the notifications of all accounts: statement_timeout and
// idle_in_transaction_session_timeout bound that.
func (db Notifications) NotificationsAfter(ctx context.Context, userID string, p ReadPosition, limit Batch) (found []*model.Notification, held bool, err error) {
	var rows []struct {
		model.Notification
		Settled bool
		Before  int // bytes of the spaces of earlier rows
	}
	// Transactions later than the snapshot come from a dump of another cluster.
	err = db.idb.NewRaw(`
		SELECT n.*, n.transaction < pg_snapshot_xmin(pg_current_snapshot()) AS settled,
			sum(coalesce(`+spaceSize()+`, 0)) OVER (ORDER BY n.transaction, n.sequence) - coalesce(`+spaceSize()+`, 0) AS before
		FROM notifications AS n LEFT JOIN spaces AS s ON s.id = n.space_id
		WHERE n.`+belongsTo("?")+` AND (n.transaction, n.sequence) > (?::xid8, ?)
			AND n.transaction < pg_snapshot_xmax(pg_current_snapshot())
			AND (? = '' OR NOT pg_visible_in_snapshot(n.transaction, nullif(?, '')::pg_snapshot))
		ORDER BY n.transaction, n.sequence LIMIT ?`,
		userID, p.Transaction, p.Sequence, p.snapshot, p.snapshot, limit.Rows).Scan(ctx, &rows)
	if err != nil {
		return nil, false, translate(err)
	}
	for i := range rows {
		// In this order no settled row follows one that is not settled.
		if !rows[i].Settled || rows[i].Before >= max(1, limit.Bytes) {
			return found, true, nil
		}
		found = append(found, &rows[i].Notification)
	}
	return found, false, nil
}
