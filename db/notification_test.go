package db

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"portico/model"
)

// publish notifies the followers of the space's owner, in a transaction that
// stays open until commit is called.
type publication struct {
	commit chan struct{}
	done   chan error
}

func beginPublication(t testing.TB, db *DB, space *model.Space) publication {
	t.Helper()
	p := publication{commit: make(chan struct{}), done: make(chan error, 1)}
	written := make(chan struct{})
	go func() {
		p.done <- db.InTx(context.Background(), func(tx *DB) error {
			defer func() { <-p.commit }()
			defer close(written)
			return tx.Notifications().NotifyFollowers(context.Background(), space)
		})
	}()
	receive(t, written, "the notification to be written")
	return p
}

// end commits the publication.
func (p publication) end(t testing.TB) {
	t.Helper()
	close(p.commit)
	check(t, receive(t, p.done, "the commit"))
}

func publish(t testing.TB, db *DB, spaces ...*model.Space) {
	t.Helper()
	for _, space := range spaces {
		beginPublication(t, db, space).end(t)
	}
}

// following returns an owner and somebody who follows them.
func following(t testing.TB, db *DB) (owner, follower *model.User) {
	t.Helper()
	owner, follower = addUser(t, db), addUser(t, db)
	check(t, db.Accounts().Follow(t.Context(), owner.ID, follower.ID))
	return owner, follower
}

// readToEnd reads on until nothing is held, and returns the spaces in order.
func readToEnd(t testing.TB, db *DB, user *model.User, p ReadPosition, limit int) (spaces []string, next ReadPosition) {
	t.Helper()
	for {
		found, held, err := db.Notifications().NotificationsAfter(t.Context(), user.ID, p, Batch{Rows: limit, Bytes: 1 << 20})
		check(t, err)
		for _, n := range found {
			spaces, p = append(spaces, n.SpaceID), p.After(n)
		}
		// Transactions of other tests hold notifications back as well.
		if !held && len(found) < limit {
			return spaces, p
		}
	}
}

func TestNotifyFollowers_adds_one_notification_per_follower(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	settled(t, db)
	ctx := t.Context()
	owner, follower := following(t, db)
	other, stranger := addUser(t, db), addUser(t, db)
	check(t, db.Accounts().Follow(ctx, owner.ID, other.ID))
	check(t, db.Accounts().Follow(ctx, owner.ID, other.ID)) // twice is once
	check(t, db.Accounts().Follow(ctx, stranger.ID, owner.ID))
	signals := map[*model.User]<-chan struct{}{}
	for _, user := range []*model.User{follower, other} {
		signals[user] = db.Watch(ctx, UserTopic(user.ID))
	}
	untold := db.Watch(ctx, UserTopic(owner.ID), UserTopic(stranger.ID))
	space := addSpace(t, db, owner, "open")
	publish(t, db, space)
	for user, signal := range signals {
		receive(t, signal, "the announcement")
		found, err := db.Notifications().Notifications(ctx, user.ID, page(t, 10, nil))
		check(t, err)
		if len(found.Nodes) != 1 || found.Nodes[0].SpaceID != space.ID || found.Nodes[0].Type != model.SpacePublished {
			t.Errorf("notifications: got %v, want one of the space", found.Nodes)
		}
	}
	silent(t, db, untold, "to who does not follow")
	if got, want := number(t, db, "SELECT count(*) FROM notifications"), 2; got != want {
		t.Errorf("notifications: got %d, want %d", got, want)
	}
}

// The foreign key of the notification would wait for the deletion of the follower, and then fail.
func TestNotifyFollowers_leaves_out_a_follower_that_is_being_deleted(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner, follower := following(t, db)
	other := addUser(t, db)
	check(t, db.Accounts().Follow(t.Context(), owner.ID, other.ID))
	space := addSpace(t, db, owner, "open")
	check(t, db.Accounts().DeleteUser(t.Context(), follower.ID, func() error { // has locked the account
		return db.InTx(t.Context(), func(tx *DB) error { return tx.Notifications().NotifyFollowers(t.Context(), space) })
	}))
	found, err := db.Notifications().Notifications(t.Context(), other.ID, page(t, 10, nil))
	check(t, err)
	if len(found.Nodes) != 1 || found.Nodes[0].SpaceID != space.ID {
		t.Errorf("notifications of the other follower: got %v, want one of the space", found.Nodes)
	}
}

func TestNotifications_newest_first(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner, follower := following(t, db)
	var spaces []*model.Space
	for i := range 3 {
		spaces = append(spaces, addSpace(t, db, owner, fmt.Sprint(i)))
	}
	publish(t, db, spaces...)
	first, err := db.Notifications().Notifications(t.Context(), follower.ID, page(t, 2, nil))
	check(t, err)
	publish(t, db, spaces[0]) // one that comes meanwhile is on the first page
	second, err := db.Notifications().Notifications(t.Context(), follower.ID, page(t, 2, first.PageInfo.EndCursor))
	check(t, err)
	var got []string
	for _, n := range slices.Concat(first.Nodes, second.Nodes) {
		got = append(got, n.SpaceID)
	}
	if want := []string{spaces[2].ID, spaces[1].ID, spaces[0].ID}; !slices.Equal(got, want) {
		t.Errorf("notifications: got %v, want %v", got, want)
	}
	if second.TotalCount != 4 || second.PageInfo.HasNextPage {
		t.Errorf("second page: got %d in all and more %v, want 4 and no more", second.TotalCount, second.PageInfo.HasNextPage)
	}
	_, err = db.Spaces().DeleteSpace(t.Context(), spaces[0].ID)
	check(t, err)
	left, err := db.Notifications().Notifications(t.Context(), follower.ID, page(t, 10, nil))
	check(t, err)
	if got, want := left.TotalCount, 2; got != want {
		t.Errorf("notifications when their space is deleted: got %d, want %d", got, want)
	}
}

// Of two open transactions the first may commit last: no notification may be returned
// before an earlier one that is still uncommitted.
func TestNotificationsAfter_skips_none_that_is_committed_late(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	owner, follower := following(t, db)
	begin, err := db.Notifications().CurrentReadPosition(ctx)
	check(t, err)
	late, early := addSpace(t, db, owner, "late"), addSpace(t, db, owner, "early")
	first := beginPublication(t, db, late)
	second := beginPublication(t, db, early)
	second.end(t)
	found, held, err := db.Notifications().NotificationsAfter(ctx, follower.ID, begin, Batch{Rows: 10, Bytes: 1 << 20})
	check(t, err)
	if len(found) != 0 || !held {
		t.Errorf("while an older transaction is open: got %v and held %v, want none and true", found, held)
	}
	listed, err := db.Notifications().Notifications(ctx, follower.ID, page(t, 10, nil))
	check(t, err)
	if got, want := listed.TotalCount, 1; got != want {
		t.Errorf("the list meanwhile: got %d, want %d", got, want)
	}
	// Who begins now can see one of them already.
	now, err := db.Notifications().CurrentReadPosition(ctx)
	check(t, err)
	first.end(t)
	for _, reader := range []struct {
		since string
		place ReadPosition
		want  []string
	}{
		{"before both", begin, []string{late.ID, early.ID}},
		{"between the two", now, []string{late.ID}},
		{"a position before both", ReadPosition{Position: begin.Position}, []string{late.ID, early.ID}},
	} {
		got, _ := readToEnd(t, db, follower, reader.place, 10)
		if !slices.Equal(got, reader.want) {
			t.Errorf("%s: got %v, want %v", reader.since, got, reader.want)
		}
	}
}

func TestNotificationsAfter_returns_each_once(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner, follower := following(t, db)
	position, err := db.Notifications().CurrentReadPosition(t.Context())
	check(t, err)
	var want []string
	check(t, db.InTx(t.Context(), func(tx *DB) error { // five of one transaction
		for i := range 5 {
			space := addSpace(t, tx, owner, fmt.Sprint(i))
			want = append(want, space.ID)
			check(t, tx.Notifications().NotifyFollowers(t.Context(), space))
		}
		return nil
	}))
	got, position := readToEnd(t, db, follower, position, 2)
	if !slices.Equal(got, want) {
		t.Errorf("in pieces of two: got %v, want %v", got, want)
	}
	if got, _ := readToEnd(t, db, follower, position, 2); len(got) != 0 {
		t.Errorf("behind the last: got %v, want none", got)
	}
	if got, _ := readToEnd(t, db, owner, ReadPosition{Position: model.Position{Transaction: "0"}}, 2); len(got) != 0 {
		t.Errorf("of another user: got %v, want none", got)
	}
}

// A dump of another cluster contains transactions that are in the future here. Their
// notifications are old, and hold nothing back.
func TestNotificationsAfter_leaves_out_what_another_cluster_wrote(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner, follower := following(t, db)
	old, space := addSpace(t, db, owner, "old"), addSpace(t, db, owner, "new")
	publish(t, db, old)
	asAdmin(t, db, "UPDATE notifications SET transaction = '9000000000000000000'")
	position, err := db.Notifications().CurrentReadPosition(t.Context())
	check(t, err)
	publish(t, db, space)
	if got, _ := readToEnd(t, db, follower, position, 10); !slices.Equal(got, []string{space.ID}) {
		t.Errorf("notifications: got %v, want %v", got, []string{space.ID})
	}
}

// The error may come after a row that is held back, and says that rows are missing.
func TestNotificationsAfter_fails_if_it_cannot_read_all_rows(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner, follower := following(t, db)
	spaces := []*model.Space{addSpace(t, db, owner, "sent"), addSpace(t, db, owner, "held"), addSpace(t, db, owner, "unreadable")}
	publish(t, db, spaces...)
	asAdmin(t, db, "UPDATE notifications SET created_at = 'infinity' WHERE space_id = ?", spaces[2].ID)
	start := ReadPosition{Position: model.Position{Transaction: "0"}}
	found, held, err := db.Notifications().NotificationsAfter(t.Context(), follower.ID, start, Batch{Rows: 10, Bytes: 1})
	if err == nil {
		t.Errorf("got %d notifications and held %v, want the error of the last row", len(found), held)
	}
}
