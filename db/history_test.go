package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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
		check(t, tx.History().LockHistory(ctx, held.ID))
		for _, id := range []string{space.ID, ""} { // of one space, and then of all
			if found, err := db.History().RecordFreeVersions(ctx, id, keepAll, 100); err != nil || found == 0 {
				t.Errorf("record the changes of space %q: got %d, %v, want some", id, found, err)
			}
		}
		if found, err := db.History().RecordFreeVersions(ctx, "", keepAll, 100); err != nil || found != 0 {
			t.Errorf("record the changes of the history that is held: got %d, %v, want 0", found, err)
		}
		for id, want := range map[string]int{held.ID: 0, space.ID: 1, third.ID: 1} {
			if got := len(versionsOf(t, db, id)); got != want {
				t.Errorf("versions of %s: got %d, want %d", id, got, want)
			}
		}
		purged, err := db.History().PurgeHistory(ctx, model.HistoryLimits{}, 10)
		if err != nil || purged != 2 {
			t.Errorf("purge: got %d spaces, %v, want the two of the other account", purged, err)
		}
		recorded, err := tx.History().RecordVersions(ctx, held.ID, keepAll, 100)
		check(t, err)
		purged, err = db.History().PurgeHistory(ctx, model.HistoryLimits{}, 10)
		if err != nil || recorded != 1 || purged != 0 {
			t.Errorf("purge of the history that is held: got %d spaces, %v, want 0", purged, err)
		}
		return nil
	}))
	if purged, err := db.History().PurgeHistory(t.Context(), model.HistoryLimits{}, 10); err != nil || purged != 1 {
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
		check(t, tx.History().LockHistory(ctx, held.ID))
		if found, err := db.History().RecordFreeVersions(ctx, held.ID, keepAll, limit); err != nil || found != 0 {
			t.Errorf("record the changes of the held history: got %d, %v, want 0", found, err)
		}
		if found, err := db.History().RecordFreeVersions(ctx, "", keepAll, limit); err != nil || found == 0 {
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
	_, err := db.History().RecordVersions(t.Context(), other.ID, keepAll, 100)
	check(t, err)
	setQuota(t, db, user, 1)
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		_, err := tx.History().RecordVersions(t.Context(), space.ID, keepAll, 100)
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
		repeat("record all", func() (int, error) { return db.History().RecordFreeVersions(t.Context(), "", limits, 100) })
		repeat("purge", func() (int, error) { return db.History().PurgeHistory(t.Context(), limits, 100) })
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
	return db.History().AsChangeSet(ctx, 0, func(tx *DB) error {
		_, err := tx.Spaces().SpaceForUpdate(ctx, space.ID)
		err = errors.Join(err, tx.History().LockHistory(ctx, space.ID))
		if err != nil {
			return err
		}
		if _, err := tx.History().RecordVersions(ctx, space.ID, limits, 100); err != nil {
			return err
		}
		entity := model.NewEntity(space.ID, fmt.Sprintf("%s-%d", space.ID, round), model.TypeSimple, jsonOf(100))
		_, err = tx.Entities().ReplaceEntities(ctx, space.ID, []*model.Entity{entity})
		return err
	})
}

// Small changes of large entities and settings must not store each of their states until they become
// versions: that is in no quota.
func TestChanges_store_the_state_of_a_burst_once(t *testing.T) {
	t.Parallel()
	const bytes, rounds, targets = 100_000, 60, 4
	db := testDB(t)
	user := addUser(t, db)
	setQuota(t, db, user, 2_500_000)
	space := addSpace(t, db, user, "hall")
	ctx := asCaller(t, user, model.DoorREST)
	for i := range rounds {
		data := fmt.Sprintf(`{"n":%d,"text":%q}`, i, strings.Repeat("x", bytes))
		for n := range targets - 1 {
			put(ctx, t, db, space, fmt.Sprint(n), data)
		}
		_, err := db.Spaces().UpdateSpace(ctx, model.UpdateSpace{SpaceID: space.ID, Data: model.Object(data)})
		check(t, err)
		if i == 0 {
			record(t, db, keepAll)
		}
		put(ctx, t, db, space, "passing", data)
		_, err = db.Entities().DeleteOwnedEntity(ctx, user.ID, space.ID, "passing")
		check(t, err)
	}
	// The states are stored again in each new minute.
	stored := number(t, db, "SELECT sum(octet_length(before::text)) FROM changes")
	if most := 3*targets*(bytes+100) + rounds*targets*100; stored < targets*bytes || stored > most {
		t.Errorf("stored states of %d changes: got %d bytes, want at most %d", rounds*targets, stored, most)
	}
	for {
		found, err := db.History().RecordFreeVersions(t.Context(), space.ID, keepAll, 50)
		check(t, err)
		if found == 0 {
			break
		}
	}
	if got, want := summary(versionsOf(t, db, space.ID)), "1 rest +3 ~1 -0"; got != want {
		t.Errorf("versions: got %q, want %q", got, want)
	}
	if storage, err := db.Accounts().Storage(t.Context(), user.ID); err != nil || storage.Used > storage.Quota {
		t.Errorf("storage: got %+v, %v, want at most the quota", storage, err)
	}
}

// The privacy is of use to the events of webhooks also where a change stores no other state.
func TestChanges_without_a_state_publish_a_space_once(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	addWebhook(t, db, user)
	space := addSpace(t, db, user, "hall")
	ctx := asCaller(t, user, model.DoorREST)
	private, public := model.Private, model.Public
	for i, privacy := range []*model.Privacy{&private, nil, nil, &public, nil, nil} {
		_, err := db.Spaces().UpdateSpace(ctx, model.UpdateSpace{
			SpaceID: space.ID, Privacy: privacy, Data: model.Object(fmt.Sprintf(`{"n":%d,"text":%q}`, i, strings.Repeat("x", 5000))),
		})
		check(t, err)
	}
	record(t, db, keepAll)
	if n := number(t, db, "SELECT count(*) FROM webhook_deliveries WHERE type = 'space.published'"); n != 1 {
		t.Errorf("events of the publication: got %d, want 1", n)
	}
}

// Small states are always stored, and large ones once for each burst: both histories must say the
// same, also of bursts that are recorded in several batches.
func TestVersions_of_large_entities_are_those_of_small_ones(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	small, large := addSpace(t, db, user, "small"), addSpace(t, db, user, "large")
	recordPart := func(limit int) {
		for _, space := range []*model.Space{small, large} {
			_, err := db.History().RecordFreeVersions(t.Context(), space.ID, keepAll, limit)
			check(t, err)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	doors := []string{model.DoorREST, model.DoorREST, model.DoorREST, model.DoorMCP}
	for i := range 150 {
		id, ctx, deleted := fmt.Sprint(random.IntN(3)), asCaller(t, user, doors[random.IntN(4)]), random.IntN(10) == 0
		for _, space := range []*model.Space{small, large} {
			padding := ""
			if space == large {
				padding = strings.Repeat("x", 5000)
			}
			data := fmt.Sprintf(`{"n":%d,"text":%q}`, i, padding)
			var err error
			switch {
			case i%7 == 0:
				_, err = db.Spaces().UpdateSpace(ctx, model.UpdateSpace{SpaceID: space.ID, Data: model.Object(data)})
			case deleted:
				_, err = db.Entities().DeleteOwnedEntity(ctx, user.ID, space.ID, id)
			default:
				put(ctx, t, db, space, id, data)
			}
			check(t, err)
		}
		if random.IntN(4) == 0 {
			recordPart(1 + random.IntN(4))
		}
		if i == 100 && number(t, db, "SELECT count(*) FROM changes WHERE repeated") == 0 {
			t.Error("none of the changes is repeated")
		}
	}
	recordPart(1000)
	versions := versionsOf(t, db, small.ID)
	if got, want := summary(versionsOf(t, db, large.ID)), summary(versions); got != want {
		t.Errorf("versions: got\n%s\nwant\n%s", got, want)
	}
	for n := range len(versions) + 1 {
		for _, to := range []int{n + 1, PresentState - 1} {
			got, want := differences(t, db, large, n, to), differences(t, db, small, n, to)
			if !slices.Equal(got, want) {
				t.Errorf("changes after version %d: got %q, want %q", n, got, want)
			}
		}
	}
}

// differences returns how the numbers in the entities and settings of the space differ.
func differences(t *testing.T, db *DB, space *model.Space, from, to int) []string {
	t.Helper()
	changes, err := db.History().SpaceChanges(t.Context(), space.ID, from, to, model.Page{Limit: 200})
	check(t, err)
	var all []string
	for _, change := range changes.Nodes {
		var before, after struct {
			N    int
			Data struct{ N int }
		}
		if change.Before != nil {
			check(t, json.Unmarshal(change.Before, &before))
		}
		if change.After != nil {
			check(t, json.Unmarshal(change.After, &after))
		}
		all = append(all, fmt.Sprintf("%s: %d -> %d", change.Target, before.N+before.Data.N, after.N+after.Data.N))
	}
	return all
}

func TestHistory_takes_at_most_half_of_the_quota(t *testing.T) {
	t.Parallel()
	const quota = 4 << 20
	db := testDB(t)
	user := addUser(t, db)
	setQuota(t, db, user, quota)
	hall, yard := addSpace(t, db, user, "hall"), addSpace(t, db, user, "yard")
	for i := range 30 { // versions of 100 kB, which have alternating origins
		door := []string{model.DoorREST, model.DoorGraphQL, model.DoorMCP}[i%3]
		for _, space := range []*model.Space{hall, yard} {
			put(asCaller(t, user, door), t, db, space, "a", fmt.Sprintf(`{"n":%d,"text":%q}`, i, strings.Repeat("x", 100_000)))
		}
	}
	record(t, db, keepAll)
	if kept := number(t, db, "SELECT bytes FROM history_usage"); kept > quota/2 || kept < quota/4 {
		t.Errorf("history: got %d bytes, want nearly %d", kept, quota/2)
	}
	oldest, newest, err := db.History().VersionBounds(t.Context(), hall.ID)
	check(t, err)
	if newest != 30 || oldest < 15 {
		t.Errorf("versions: got %d to %d, want the newest ones", oldest, newest)
	}
}

// A batch of changes was bounded in rows only: hundreds of large states took longer than a statement
// may, so none of them was ever recorded, and what was not recorded grew without a bound.
func TestRecordFreeVersions_records_large_states_in_parts(t *testing.T) {
	t.Parallel()
	const rounds, bytes = 40, 700_000
	db := testDB(t)
	user := addUser(t, db)
	setQuota(t, db, user, 1<<30)
	space := addSpace(t, db, user, "hall")
	for i := range rounds {
		door := []string{model.DoorREST, model.DoorGraphQL}[i%2]
		put(asCaller(t, user, door), t, db, space, "a", fmt.Sprintf(`{"n":%d,"text":%q}`, 100+i, strings.Repeat("x", bytes)))
	}
	const limit = 500
	found, err := db.History().RecordFreeVersions(t.Context(), "", keepAll, limit)
	check(t, err)
	left := number(t, db, "SELECT count(*) FROM changes")
	if recorded := rounds - left; found != limit || recorded > 2+maxBatchBytes/bytes || recorded < 10 {
		t.Errorf("first batch: got %d of %d changes and the result %d, want at most 16 MiB of them and %d, because there are more", recorded, rounds, found, limit)
	}
	_, err = db.History().RecordVersions(t.Context(), space.ID, keepAll, limit)
	check(t, err)
	if left := number(t, db, "SELECT count(*) FROM changes"); left != 0 {
		t.Errorf("changes after the second batch: got %d, want 0", left)
	}
	if wrong := number(t, db, "SELECT count(*) FROM version_changes WHERE bytes <> coalesce(octet_length(before::text), 0)"); wrong != 0 {
		t.Errorf("sizes that are wrong: got %d, want 0", wrong)
	}
}
