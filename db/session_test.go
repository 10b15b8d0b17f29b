package db

import (
	"slices"
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
	check(t, db.SaveSession(ctx, BrowserSession{Token: "a", Data: []byte("one\x00\xff?'"), Expires: later}))
	want("a", "one\x00\xff?'", true)
	check(t, db.SaveSession(ctx, BrowserSession{Token: "a", Data: []byte("two"), Expires: later}))
	want("a", "two", true)
	want("b", "", false)
	check(t, db.SaveSession(ctx, BrowserSession{Token: "a", Data: []byte("two"), Expires: time.Now().Add(-time.Second)}))
	want("a", "", false)
	check(t, db.SaveSession(ctx, BrowserSession{Token: "a", Data: []byte("three"), Expires: later}))
	check(t, db.EndSession(ctx, "a"))
	want("a", "", false)
	check(t, db.EndSession(ctx, "a"))
	check(t, db.SaveSession(ctx, BrowserSession{Token: "a", Data: []byte("by a request that still ran"), Expires: later}))
	want("a", "", false)
}

func TestInvalidSessions(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	ctx, later := t.Context(), time.Now().Add(time.Hour)
	for _, token := range []string{"valid", "ended", "expired", "deleted"} {
		check(t, db.SaveSession(ctx, BrowserSession{Token: token, Data: []byte("data"), Expires: later}))
	}
	check(t, db.EndSession(ctx, "ended"))
	check(t, db.SaveSession(ctx, BrowserSession{Token: "expired", Data: []byte("data"), Expires: time.Now().Add(-time.Second)}))
	_, err := db.idb.ExecContext(ctx, "DELETE FROM sessions WHERE token = 'deleted'")
	check(t, err)
	watched := []SessionAccess{
		{"valid", user.ID, 0}, {"ended", user.ID, 0}, {"expired", user.ID, 0}, {"deleted", user.ID, 0},
		{"valid", user.ID, 1}, {"valid", "00000000", 0},
	}
	got, err := db.InvalidSessions(ctx, watched)
	check(t, err)
	if !slices.Equal(got, watched[1:]) {
		t.Errorf("invalid: got %v, want all but the first of %v", got, watched)
	}
	if none, err := db.InvalidSessions(ctx, nil); err != nil || len(none) != 0 {
		t.Errorf("invalid of none: got %v, %v, want none", none, err)
	}
}
