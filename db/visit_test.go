package db

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"portico/model"
)

// age moves the visits that were counted into the past.
func age(t *testing.T, db *DB, by string) {
	t.Helper()
	_, err := db.idb.ExecContext(t.Context(), "UPDATE visits SET counted_at = counted_at - ?::interval", by)
	check(t, err)
}

func visitCount(t *testing.T, db *DB, id string) int64 {
	t.Helper()
	space, err := db.Spaces().Space(t.Context(), id)
	check(t, err)
	return space.VisitCount
}

func TestVisit_counts_a_viewer_once_in_half_an_hour(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	space, other := addSpace(t, db, user, "here"), addSpace(t, db, user, "there")
	visit := func(id, viewer string, want int64) {
		t.Helper()
		got, err := db.Spaces().Visit(ctx, id, viewer)
		check(t, err)
		if got.ID != id || got.VisitCount != want || visitCount(t, db, id) != want {
			t.Errorf("visits of %s: got %d, and %d stored, want %d", got.ID, got.VisitCount, visitCount(t, db, id), want)
		}
	}
	visit(space.ID, "a", 1)
	visit(space.ID, "a", 1)
	visit(space.ID, "b", 2)
	visit(other.ID, "a", 1)
	age(t, db, "29 minutes")
	visit(space.ID, "a", 2)
	age(t, db, "1 minute") // the window begins with the read that counted
	visit(space.ID, "a", 3)
	visit(space.ID, "a", 3)
	visit(space.ID, "b", 4)
	got, err := db.Spaces().Space(ctx, space.ID)
	check(t, err)
	if got.ChangedAt != space.ChangedAt {
		t.Errorf("changed at: got %v, want %v: a visit does not count as a change", got.ChangedAt, space.ChangedAt)
	}
	_, err = db.Spaces().Visit(ctx, "unknown", "a")
	checkCode(t, err, model.CodeNotFound)
}

func TestVisit_counts_concurrent_viewers_once(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "here")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if _, err := db.Spaces().Visit(t.Context(), space.ID, fmt.Sprint("viewer ", i%4)); err != nil {
				t.Errorf("Visit: %v", err)
			}
		})
	}
	all.Wait()
	if got := visitCount(t, db, space.ID); got != 4 {
		t.Errorf("visits: got %d, want one of each of 4 viewers", got)
	}
}

// The foreign key of the visit would wait for the deletion of the space, and then fail the read.
func TestVisit_does_not_wait_for_the_deletion_of_the_space(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	space := addSpace(t, db, owner, "here")
	check(t, db.Accounts().DeleteUser(t.Context(), owner.ID, func() error { // has deleted the space
		got, err := db.Spaces().Visit(t.Context(), space.ID, "viewer")
		if err == nil && (got.ID != space.ID || got.VisitCount != 0) {
			t.Errorf("Visit: got %s with %d visits, want %s with none", got.ID, got.VisitCount, space.ID)
		}
		return err
	}))
	_, err := db.Spaces().Visit(t.Context(), space.ID, "viewer")
	checkCode(t, err, model.CodeNotFound)
}

func TestPurgeVisits_keeps_the_count(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	space := addSpace(t, db, addUser(t, db), "here")
	for i := range 5 {
		_, err := db.Spaces().Visit(ctx, space.ID, fmt.Sprint(i))
		check(t, err)
	}
	age(t, db, "30 minutes")
	_, err := db.Spaces().Visit(ctx, space.ID, "new")
	check(t, err)
	for _, want := range []int{3, 2, 0} {
		got, err := db.Spaces().PurgeVisits(ctx, 3)
		check(t, err)
		if got != want {
			t.Errorf("purged: got %d, want %d", got, want)
		}
	}
	if got := visitCount(t, db, space.ID); got != 6 {
		t.Errorf("visits: got %d, want 6: what was counted stays", got)
	}
	deleted, err := db.Spaces().DeleteSpace(ctx, space.ID) // a visit does not keep a space
	check(t, err)
	if !deleted {
		t.Error("delete a visited space: got false, want true")
	}
}

// The days add up to the count, and end with the space.
func TestDailyVisits_add_up_to_the_visit_count(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	space, other := addSpace(t, db, user, "here"), addSpace(t, db, user, "there")
	for _, viewer := range []string{"a", "b", "a"} {
		_, err := db.Spaces().Visit(ctx, space.ID, viewer)
		check(t, err)
	}
	_, err := db.idb.ExecContext(ctx, "UPDATE daily_statistics SET day = day - 3")
	check(t, err)
	age(t, db, "1 hour")
	_, err = db.Spaces().Visit(ctx, space.ID, "a")
	check(t, err)
	for days, want := range map[int][]int64{30: {2, 1}, 4: {2, 1}, 3: {1}} {
		got, err := db.Spaces().DailyVisits(ctx, []string{space.ID, other.ID}, days)
		check(t, err)
		var visits []int64
		for _, day := range got[space.ID] {
			visits = append(visits, day.Visits)
		}
		if !slices.Equal(visits, want) || len(got[other.ID]) != 0 {
			t.Errorf("%d days: got %v and %v of a space without visits, want %v", days, visits, got[other.ID], want)
		}
	}
	if got := visitCount(t, db, space.ID); got != 3 {
		t.Errorf("count: got %d, want 3", got)
	}
	_, err = db.idb.ExecContext(ctx, "DELETE FROM spaces WHERE id = ?", space.ID)
	check(t, err)
	got, err := db.Spaces().DailyVisits(ctx, []string{space.ID}, 30)
	check(t, err)
	if len(got[space.ID]) != 0 {
		t.Errorf("days of a deleted space: got %v", got[space.ID])
	}
}
