package db

import (
	"errors"
	"slices"
	"testing"
	"time"
)

func TestRemovals(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	due, later := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	check(t, db.AddRemovals(ctx, due, "old", "folder/"))
	check(t, db.AddRemovals(ctx, due.Add(-time.Hour), "oldest", "it's ? %"))
	check(t, db.AddRemovals(ctx, later, "later"))
	check(t, db.AddRemovals(ctx, later)) // nothing
	keys := func(limit int) []string {
		t.Helper()
		keys, err := db.Removals(ctx, limit)
		check(t, err)
		return keys
	}
	if got, want := len(keys(10)), 4; got != want {
		t.Errorf("due: got %d, want %d", got, want)
	}
	if got := keys(2); len(got) != 2 || slices.Contains(got, "old") || slices.Contains(got, "folder/") {
		t.Errorf("the two that wait longest: got %v, want the oldest", got)
	}

	// What is due later again, because bytes may still arrive, stays written down.
	check(t, db.AddRemovals(ctx, later, "old"))
	check(t, db.AddRemovals(ctx, due, "later"))
	for _, key := range []string{"old", "later", "folder/", "unknown"} {
		check(t, db.Removed(ctx, key))
	}
	if got := keys(10); slices.Contains(got, "folder/") || len(got) != 2 {
		t.Errorf("due after the removal: got %v, want the other two", got)
	}
	if got, want := number(t, db, "SELECT count(*) FROM removals"), 4; got != want {
		t.Errorf("written down: got %d, want %d", got, want)
	}
}

func TestAddRemovals_is_part_of_its_transaction(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	_ = db.InTx(t.Context(), func(tx *DB) error {
		check(t, tx.AddRemovals(t.Context(), time.Now(), "a"))
		return errors.New("broken")
	})
	if got, want := number(t, db, "SELECT count(*) FROM removals"), 0; got != want {
		t.Errorf("written down: got %d, want %d", got, want)
	}
}
