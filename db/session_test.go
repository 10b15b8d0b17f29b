package db

import (
	"testing"
	"time"
)

func TestSession(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx, later := t.Context(), time.Now().Add(time.Hour)
	want := func(token, data string, there bool) {
		t.Helper()
		got, found, err := db.Session(ctx, token)
		check(t, err)
		if string(got) != data || found != there {
			t.Errorf("session %s: got %q, %v, want %q, %v", token, got, found, data, there)
		}
	}
	want("a", "", false)
	check(t, db.SaveSession(ctx, "a", []byte("one\x00\xff?'"), later))
	want("a", "one\x00\xff?'", true)
	check(t, db.SaveSession(ctx, "a", []byte("two"), later))
	want("a", "two", true)
	want("b", "", false)
	check(t, db.SaveSession(ctx, "a", []byte("two"), time.Now().Add(-time.Second)))
	want("a", "", false)
	check(t, db.SaveSession(ctx, "a", []byte("three"), later))
	check(t, db.EndSession(ctx, "a"))
	want("a", "", false)
	check(t, db.EndSession(ctx, "a"))
	check(t, db.SaveSession(ctx, "a", []byte("by a request that still ran"), later))
	want("a", "", false)
}
