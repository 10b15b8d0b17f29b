package db

import (
	"context"
	"sync"
	"testing"
	"time"

	"portico/db/dial"
	"portico/internal/testkit/postgres"
	"portico/model"
)

// usageParts is how many parts the sum of an account's JSON has (see count_json).
const usageParts = 32

// singleConnection returns db over a connection of its own, and the process of Postgres that
// serves the connection. The caller closes the root of the result.
func singleConnection(t testing.TB, db *DB, url string) (single *DB, pid int) {
	t.Helper()
	root, err := dial.Open(url, dial.Pool{Connections: 1, StatementTimeout: 2 * time.Minute})
	check(t, err)
	c := *db
	c.root, c.idb, c.prepared = root, root, &prepared{pool: root.DB, slots: newConnectionSlots(20)}
	return &c, number(t, &c, "SELECT pg_backend_pid()")
}

// samePart returns two connections that count JSON in the same part, and the processes of
// Postgres that serve them.
func samePart(t testing.TB, db *DB, url string) (dbs [2]*DB, pids [2]int) {
	t.Helper()
	dbs[0], pids[0] = singleConnection(t, db, url)
	t.Cleanup(func() { check(t, dbs[0].root.Close()) })
	for {
		dbs[1], pids[1] = singleConnection(t, db, url)
		if pids[0]%usageParts == pids[1]%usageParts {
			t.Cleanup(func() { check(t, dbs[1].root.Close()) })
			return dbs, pids
		}
		check(t, dbs[1].root.Close())
	}
}

// untilBlocked returns when this process of Postgres waits for a lock.
func untilBlocked(t testing.TB, db *DB, pid int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for waits := false; !waits; {
		check(t, db.root.NewRaw(`SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = ? AND wait_event_type = 'Lock')`, pid).
			Scan(ctx, &waits))
	}
}

// A part of the sum is used up while a writer waits for it. So the writer must lock the
// account, while a second writer with the same part needs both too.
func TestJSON_is_counted_without_deadlocks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		second func(ctx context.Context, db *DB, space *model.Space) error
	}{
		{"with_a_large_entity", func(ctx context.Context, db *DB, space *model.Space) error {
			large := model.NewEntity(space.ID, "large", model.TypeSimple, jsonOf(200_000))
			_, _, err := db.Entities().PutOwnedEntity(ctx, space.OwnerID, large, nil, true)
			return err
		}},
		{"with_a_new_space", func(ctx context.Context, db *DB, space *model.Space) error {
			added := model.NewSpace(space.OwnerID, model.CreateSpace{}, nil)
			return db.Spaces().AddSpace(ctx, added, []*model.Entity{model.NewEntity(added.ID, "e", model.TypeSimple, nil)})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url := postgres.URL(t, migrateTest)
			db := openTest(t, Options{URL: url, Connections: 4, Logger: quiet()})
			user := addUser(t, db)
			setQuota(t, db, user, 1<<30)
			space := addSpace(t, db, user, "here")
			writers, pids := samePart(t, db, url)
			// Grants the part room for the first writer.
			addEntityBy(t, writers[0], user, model.NewEntity(space.ID, "before", model.TypeSimple, jsonOf(1000)))
			first := model.NewEntity(space.ID, "small", model.TypeSimple, jsonOf(1000))
			var both sync.WaitGroup
			check(t, db.InTx(t.Context(), func(tx *DB) error {
				_, err := tx.idb.ExecContext(t.Context(), "UPDATE json_usage SET bytes = granted WHERE part = ?", pids[0]%usageParts)
				check(t, err)
				both.Go(func() {
					if _, _, err := writers[0].Entities().PutOwnedEntity(t.Context(), user.ID, first, nil, true); err != nil {
						t.Errorf("first writer: %v", err)
					}
				})
				untilBlocked(t, db, pids[0])
				both.Go(func() {
					if err := test.second(t.Context(), writers[1], space); err != nil {
						t.Errorf("second writer: %v", err)
					}
				})
				untilBlocked(t, db, pids[1])
				return nil
			}))
			both.Wait()
		})
	}
}

// addEntityBy stores a new entity over the connection of db.
func addEntityBy(t testing.TB, db *DB, user *model.User, entity *model.Entity) {
	t.Helper()
	_, created, err := db.Entities().PutOwnedEntity(t.Context(), user.ID, entity, nil, true)
	check(t, err)
	if !created {
		t.Fatalf("PutOwnedEntity(%s): got an update, want a new entity", entity.EntityID)
	}
}

func TestAddSpace_refuses_an_unknown_owner(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := model.NewSpace("unknown", model.CreateSpace{}, nil)
	err := db.Spaces().AddSpace(t.Context(), space, []*model.Entity{model.NewEntity(space.ID, "e", model.TypeSimple, nil)})
	checkCode(t, err, model.CodeNotFound)
}

// A program that adds spaces all the time must not keep the deletion of its account going.
func TestLockInOrder_gives_up_if_rows_are_always_added(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	calls := 0
	err := db.InTx(t.Context(), func(tx *DB) error {
		return tx.lockInOrder(t.Context(), func(*DB) (complete bool, err error) {
			if calls++; calls > 10*maxLockAttempts {
				return false, errBroken
			}
			return false, nil
		})
	})
	if calls != maxLockAttempts {
		t.Errorf("attempts: got %d, want %d", calls, maxLockAttempts)
	}
	checkCode(t, err, model.CodeConflict)
}
