package db

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/testkit/postgres"
	"portico/model"
)

// touchedAt returns when the row says that the space was touched.
func touchedAt(t testing.TB, db *DB, id string) time.Time {
	t.Helper()
	space, err := db.Spaces().Space(t.Context(), id)
	check(t, err)
	return space.TouchedAt.Time
}

// openToClose opens the database of an address. The test closes it, which stores what is pending.
func openToClose(t testing.TB, url string) *DB {
	t.Helper()
	db, err := Open(t.Context(), Options{URL: url, Logger: quiet()})
	check(t, err)
	return db
}

// Writers of entities do not wait for a lock on the row of their space. The process that
// writes knows the time at once, and other processes know it when it is stored.
func TestChangeTime_does_not_wait_for_the_space(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	db, other := openToClose(t, url), openTest(t, Options{URL: url, Logger: quiet()})
	user := addUser(t, db)
	space := addSpace(t, db, user, "Hall")
	addEntity(t, db, space, "chair", model.TypeSimple, `{}`)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var last model.Time
	check(t, other.InTx(ctx, func(tx *DB) error {
		if _, err := tx.Spaces().SpaceForUpdate(ctx, space.ID); err != nil {
			return err
		}
		for n := range 20 {
			in := model.UpdateEntity{SpaceID: space.ID, EntityID: "chair", Data: model.Object(`{"n":` + strconv.Itoa(n) + `}`)}
			entity, err := db.Entities().MergeOwnedEntity(ctx, user.ID, in)
			if err != nil {
				return err
			}
			last = entity.ChangedAt
			if known := db.TouchedAt(space); known.Before(last.Time) {
				t.Errorf("touched: got %v, want %v or later", known, last)
			}
		}
		return nil
	}))
	check(t, db.Close())
	if got := touchedAt(t, other, space.ID); got.Before(last.Time) {
		t.Errorf("touched: got %v, want %v or later", got, last)
	}
	stored, err := other.Spaces().Space(t.Context(), space.ID)
	check(t, err)
	if !stored.ChangedAt.Equal(space.ChangedAt.Time) || stored.Version != space.Version {
		t.Errorf("space: got the date %v and version %d, want %v and %d", stored.ChangedAt, stored.Version, space.ChangedAt, space.Version)
	}
}

func TestChangeTime_is_stored_by_Close(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	db := openTest(t, Options{URL: url, Logger: quiet()})
	closing := openToClose(t, url)
	space := addSpace(t, db, addUser(t, db), "Hall")
	var last model.Time
	for n := range 3 {
		addEntity(t, closing, space, "e"+strconv.Itoa(n), model.TypeSimple, `{}`)
		last = closing.TouchedAt(space)
	}
	check(t, closing.Close())
	if got := touchedAt(t, db, space.ID); !got.Equal(last.Time) {
		t.Errorf("touched: got %v, want %v", got, last)
	}
	closing.announceChange(space.ID) // changes nothing, and does not panic
}

func TestChangeTime_is_stored_after_an_outage(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	db, reader := openToClose(t, url), openTest(t, Options{URL: url, Logger: quiet()})
	space := addSpace(t, db, addUser(t, db), "Hall")
	asAdmin(t, db, "ALTER TABLE spaces RENAME TO spaces_away")
	db.announceChange(space.ID)
	db.announceChange("unknown")
	last := db.TouchedAt(space)
	db.changeTimes.store() // fails, or the write in the background has failed before
	asAdmin(t, db, "ALTER TABLE spaces_away RENAME TO spaces")
	check(t, db.Close())
	if got := touchedAt(t, reader, space.ID); !got.Equal(last.Time) {
		t.Errorf("touched: got %v, want %v", got, last)
	}
}

func TestChangeTime_logs_an_outage_once(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	var log bytes.Buffer
	w := newChangeTimeWriter(db.root, slog.New(slog.NewTextHandler(&log, nil)))
	w.add(addSpace(t, db, addUser(t, db), "Hall").ID, model.Now())
	asAdmin(t, db, "ALTER TABLE spaces RENAME TO spaces_away")
	w.store()
	w.store()
	if got := strings.Count(log.String(), "store the times at which spaces changed"); got != 1 {
		t.Errorf("logged errors of two writes: got %d, want 1\n%s", got, &log)
	}
	asAdmin(t, db, "ALTER TABLE spaces_away RENAME TO spaces")
	for range 2 {
		w.store()
		w.add("unknown", model.Now())
	}
	if got := strings.Count(log.String(), "the times at which spaces changed are stored again"); got != 1 {
		t.Errorf("logged recoveries: got %d, want 1\n%s", got, &log)
	}
}

func TestChangeTime_of_a_transaction_comes_with_its_commit(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "Hall")
	add := func(then error) error {
		return db.InTx(t.Context(), func(tx *DB) error {
			_, err := tx.Entities().AddEntity(t.Context(), model.NewEntity(space.ID, model.Token(), model.TypeSimple, nil))
			check(t, err)
			if got := tx.changeTimes.newest(space.ID); !got.IsZero() {
				t.Errorf("touched before the commit: got %v, want never", got)
			}
			return then
		})
	}
	if err := add(context.Canceled); err == nil {
		t.Error("broken transaction: got no error")
	}
	if got := db.changeTimes.newest(space.ID); !got.IsZero() {
		t.Errorf("touched after a rollback: got %v, want never", got)
	}
	check(t, add(nil))
	if got := db.changeTimes.newest(space.ID); got.IsZero() {
		t.Error("touched after the commit: got never")
	}
}

// Several processes store the time of a space while clients create and delete entities in it.
func TestChangeTimes_wait_for_no_one_who_waits_for_them(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "Hall")
	var working sync.WaitGroup
	for i := range 8 {
		working.Go(func() {
			for n := range 150 {
				id := "entity" + strconv.Itoa((i+n)%3)
				_, _, err := db.Entities().PutOwnedEntity(t.Context(), space.OwnerID, model.NewEntity(space.ID, id, "Simple", model.Object("{}")), nil, true)
				if err == nil && n%3 == 0 {
					_, err = db.Entities().DeleteOwnedEntity(t.Context(), space.OwnerID, space.ID, id)
				}
				if err != nil {
					t.Errorf("change an entity: %v", err)
				}
			}
		})
	}
	for range 3 {
		working.Go(func() {
			for range 150 {
				if err := db.changeTimes.write(map[string]model.Time{space.ID: model.Now()}); err != nil {
					t.Errorf("store the time: %v", err)
				}
			}
		})
	}
	working.Wait()
}
