package db

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/model"
)

// A long restore holds the history of its account. Meanwhile the versions of other accounts are
// recorded and purged. The account's own versions follow after the restore.
func TestLockHistory_delays_no_other_account(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	restoring, other := addUser(t, db), addUser(t, db)
	held, space, third := addSpace(t, db, restoring, "hall"), addSpace(t, db, other, "yard"), addSpace(t, db, other, "attic")
	for i, space := range []*model.Space{held, space, third} {
		put(asCaller(t, &model.User{ID: space.OwnerID}, model.DoorREST), t, db, space, "a", fmt.Sprintf(`{"n":%d}`, i))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // a wait would last until the commit
	defer cancel()
	check(t, db.InTx(ctx, func(tx *DB) error {
		check(t, tx.LockHistory(ctx, held.ID))
		for _, id := range []string{space.ID, ""} { // of one space, and then of all
			if found, err := db.RecordFreeVersions(ctx, id, keepAll, 100); err != nil || found == 0 {
				t.Errorf("record the changes of space %q: got %d, %v, want some", id, found, err)
			}
		}
		if found, err := db.RecordFreeVersions(ctx, "", keepAll, 100); err != nil || found != 0 {
			t.Errorf("record the changes of the history that is held: got %d, %v, want 0", found, err)
		}
		for id, want := range map[string]int{held.ID: 0, space.ID: 1, third.ID: 1} {
			if got := len(versionsOf(t, db, id)); got != want {
				t.Errorf("versions of %s: got %d, want %d", id, got, want)
			}
		}
		purged, err := db.PurgeHistory(ctx, model.HistoryLimits{}, 10)
		if err != nil || purged != 2 {
			t.Errorf("purge: got %d spaces, %v, want the two of the other account", purged, err)
		}
		recorded, err := tx.RecordVersions(ctx, held.ID, keepAll, 100)
		check(t, err)
		purged, err = db.PurgeHistory(ctx, model.HistoryLimits{}, 10)
		if err != nil || recorded != 1 || purged != 0 {
			t.Errorf("purge of the history that is held: got %d spaces, %v, want 0", purged, err)
		}
		return nil
	}))
	if purged, err := db.PurgeHistory(t.Context(), model.HistoryLimits{}, 10); err != nil || purged != 1 {
		t.Errorf("purge after the commit: got %d spaces, %v, want 1", purged, err)
	}
}

// The oldest changes are more than a batch, and all of an account whose history is held. The
// changes of another account are recorded all the same.
func TestRecordFreeVersions_goes_on_after_a_batch_of_a_held_history(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	const limit = 2
	held, other := addSpace(t, db, addUser(t, db), "hall"), addSpace(t, db, addUser(t, db), "yard")
	for i, space := range []*model.Space{held, held, held, other} {
		put(asCaller(t, &model.User{ID: space.OwnerID}, model.DoorREST), t, db, space, "a", fmt.Sprintf(`{"n":%d}`, i))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // a wait would last until the commit
	defer cancel()
	check(t, db.InTx(ctx, func(tx *DB) error {
		check(t, tx.LockHistory(ctx, held.ID))
		if found, err := db.RecordFreeVersions(ctx, held.ID, keepAll, limit); err != nil || found != 0 {
			t.Errorf("record the changes of the held history: got %d, %v, want 0", found, err)
		}
		if found, err := db.RecordFreeVersions(ctx, "", keepAll, limit); err != nil || found == 0 {
			t.Errorf("record all changes: got %d, %v, want some", found, err)
		}
		if got, free := len(versionsOf(t, db, held.ID)), len(versionsOf(t, db, other.ID)); got != 0 || free != 1 {
			t.Errorf("versions: got %d of the held history and %d of the other, want 0 and 1", got, free)
		}
		return nil
	}))
}

// Versions that a transaction records, for example before a restore, are removed from a full
// account after its commit: before, the transaction would lock the other spaces of the account out
// of order.
func TestRecordVersions_in_a_transaction_frees_a_full_account_after_the_commit(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	space, other := addSpace(t, db, user, "hall"), addSpace(t, db, user, "yard")
	for i, door := range []string{model.DoorREST, model.DoorGraphQL, model.DoorMCP} {
		for _, space := range []*model.Space{space, other} {
			put(asCaller(t, user, door), t, db, space, "a", fmt.Sprintf(`{"n":%d}`, i))
		}
	}
	_, err := db.RecordVersions(t.Context(), other.ID, keepAll, 100)
	check(t, err)
	setQuota(t, db, user, 1)
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		_, err := tx.RecordVersions(t.Context(), space.ID, keepAll, 100)
		if got := number(t, tx, "SELECT count(*) FROM space_versions"); got != 6 {
			t.Errorf("versions in the transaction: got %d, want 6", got)
		}
		return err
	}))
	for _, id := range []string{space.ID, other.ID} {
		if got, want := summary(versionsOf(t, db, id)), "3 mcp +0 ~1 -0"; got != want {
			t.Errorf("versions of %s: got %q, want %q", id, got, want)
		}
	}
}

// Writers, restores, recorders and purges of many spaces run at the same time. Each created entity
// is reported once, and none of them waits for another in a circle.
func TestHistories_are_recorded_without_deadlocks(t *testing.T) {
	t.Parallel()
	const accounts, spacesOfAccount, rounds = 4, 3, 12
	db := testDB(t)
	var spaces []*model.Space
	users := map[string]*model.User{}
	for range accounts {
		user := addUser(t, db)
		users[user.ID] = user
		addWebhook(t, db, user)
		for i := range spacesOfAccount {
			spaces = append(spaces, addSpace(t, db, user, fmt.Sprint(i)))
		}
		if len(users)%2 == 0 {
			setQuota(t, db, user, 8_000) // full after a few rounds
		}
	}
	limits := model.HistoryLimits{Versions: 3, Age: 10 * time.Millisecond}
	var written atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var writers, recorders sync.WaitGroup
	repeat := func(name string, fn func() (int, error)) {
		recorders.Go(func() {
			for ctx.Err() == nil {
				if _, err := fn(); err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
			}
		})
	}
	for range 2 {
		repeat("record all", func() (int, error) { return db.RecordFreeVersions(t.Context(), "", limits, 100) })
		repeat("purge", func() (int, error) { return db.PurgeHistory(t.Context(), limits, 100) })
	}
	for _, space := range spaces {
		writers.Go(func() {
			for i := range rounds {
				err := replaceEntities(asCaller(t, users[space.OwnerID], model.DoorREST), db, space, limits, i)
				switch full := users[space.OwnerID].Quota < 10_000 && model.CodeOf(err) == model.CodeQuotaExceeded; {
				case err == nil:
					written.Add(1)
				case !full:
					t.Errorf("change set %d of %s: %v", i, space.ID, err)
					return
				}
			}
		})
	}
	writers.Wait()
	stop()
	recorders.Wait()
	record(t, db, limits)
	const created = `FROM webhook_deliveries, jsonb_array_elements_text(payload::jsonb->'data'->'created') AS id WHERE type = 'entity.changed'`
	want := int(written.Load())
	if all, distinct := number(t, db, "SELECT count(*) "+created), number(t, db, "SELECT count(DISTINCT id) "+created); all != want || distinct != want {
		t.Errorf("reported entities: got %d, and %d of them once, want %d", all, distinct, want)
	}
}

// replaceEntities records a version of the space and replaces its entities by one, in the way of
// RestoreVersion.
func replaceEntities(ctx context.Context, db *DB, space *model.Space, limits model.HistoryLimits, round int) error {
	return db.AsChangeSet(ctx, 0, func(tx *DB) error {
		_, err := tx.SpaceForUpdate(ctx, space.ID)
		err = errors.Join(err, tx.LockHistory(ctx, space.ID))
		if err != nil {
			return err
		}
		if _, err := tx.RecordVersions(ctx, space.ID, limits, 100); err != nil {
			return err
		}
		entity := model.NewEntity(space.ID, fmt.Sprintf("%s-%d", space.ID, round), model.TypeSimple, jsonOf(100))
		_, err = tx.ReplaceEntities(ctx, space.ID, []*model.Entity{entity})
		return err
	})
}
