package db

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"portico/model"
)

func TestSession_cannot_be_saved_after_it_ended(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx, later := t.Context(), time.Now().Add(time.Hour)
	want := func(token, data string, there bool) {
		t.Helper()
		got, found, err := db.SignIns().Session(ctx, token)
		check(t, err)
		if string(got) != data || found != there {
			t.Errorf("session %s: got %q, %v, want %q, %v", token, got, found, data, there)
		}
	}
	want("a", "", false)
	check(t, db.SignIns().SaveSession(ctx, BrowserSession{Token: "a", Data: []byte("one\x00\xff?'"), Expires: later}))
	want("a", "one\x00\xff?'", true)
	check(t, db.SignIns().SaveSession(ctx, BrowserSession{Token: "a", Data: []byte("two"), Expires: later}))
	want("a", "two", true)
	want("b", "", false)
	check(t, db.SignIns().SaveSession(ctx, BrowserSession{Token: "a", Data: []byte("two"), Expires: time.Now().Add(-time.Second)}))
	want("a", "", false)
	check(t, db.SignIns().SaveSession(ctx, BrowserSession{Token: "a", Data: []byte("three"), Expires: later}))
	check(t, db.SignIns().EndSession(ctx, "a"))
	want("a", "", false)
	check(t, db.SignIns().EndSession(ctx, "a"))
	check(t, db.SignIns().SaveSession(ctx, BrowserSession{Token: "a", Data: []byte("by a request that still ran"), Expires: later}))
	want("a", "", false)
}

func TestInvalidSessions_returns_all_that_ended(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	ctx, later := t.Context(), time.Now().Add(time.Hour)
	for _, token := range []string{"valid", "ended", "expired", "deleted"} {
		check(t, db.SignIns().SaveSession(ctx, BrowserSession{Token: token, Data: []byte("data"), Expires: later}))
	}
	check(t, db.SignIns().EndSession(ctx, "ended"))
	check(t, db.SignIns().SaveSession(ctx, BrowserSession{Token: "expired", Data: []byte("data"), Expires: time.Now().Add(-time.Second)}))
	_, err := db.idb.ExecContext(ctx, "DELETE FROM sessions WHERE token = 'deleted'")
	check(t, err)
	watched := []SessionAccess{
		{"valid", user.ID, 0}, {"ended", user.ID, 0}, {"expired", user.ID, 0}, {"deleted", user.ID, 0},
		{"valid", user.ID, 1}, {"valid", "00000000", 0},
	}
	got, err := db.SignIns().InvalidSessions(ctx, watched)
	check(t, err)
	if !slices.Equal(got, watched[1:]) {
		t.Errorf("invalid: got %v, want all but the first of %v", got, watched)
	}
	if none, err := db.SignIns().InvalidSessions(ctx, nil); err != nil || len(none) != 0 {
		t.Errorf("invalid of none: got %v, %v, want none", none, err)
	}
}

// SessionsOf lists the valid sessions of one account. It leaves out sessions that have ended
// or expired, and sessions of an earlier version of the account.
func TestSessionsOf_lists_the_valid_sessions_of_one_account(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, other := addUser(t, db), addUser(t, db)
	ctx := model.WithOrigin(t.Context(), model.Origin{Address: "203.0.113.77", UserAgent: "Firefox\x00 on a desk"})
	save := func(token string, owner *model.User, version int64, left time.Duration) {
		t.Helper()
		check(t, db.SignIns().SaveSession(ctx, BrowserSession{
			Token: token, Data: []byte("x"), Expires: time.Now().Add(left), UserID: owner.ID, Version: version,
		}))
	}
	save("here", user, 0, time.Hour)
	save("there", user, 0, time.Hour)
	save("ended", user, 0, time.Hour)
	save("expired", user, 0, -time.Hour)
	save("before", user, -1, time.Hour)
	save("foreign", other, 0, time.Hour)
	check(t, db.SignIns().EndSession(ctx, "ended"))
	sessions, err := db.SignIns().SessionsOf(ctx, user.ID, "here")
	check(t, err)
	if len(sessions) != 2 || sessions[0].Current == sessions[1].Current {
		t.Fatalf("sessions: got %d of %v, want two, one of them the current", len(sessions), sessions)
	}
	for _, session := range sessions {
		if session.Network != "203.0.113.0/24" || session.UserAgent != "Firefox on a desk" {
			t.Errorf("session: got %q in %q, want the browser in its network", session.UserAgent, session.Network)
		}
	}

	there := sessions[slices.IndexFunc(sessions, func(s *model.Session) bool { return !s.Current })]
	if ended, err := db.SignIns().EndSessionOf(ctx, other.ID, there.ID); err != nil || ended {
		t.Errorf("end another's session: got %v, %v, want false", ended, err)
	}
	for _, want := range []bool{true, false} {
		if ended, err := db.SignIns().EndSessionOf(ctx, user.ID, there.ID); err != nil || ended != want {
			t.Errorf("end a session: got %v, %v, want %v", ended, err, want)
		}
	}
	if _, found, err := db.SignIns().Session(ctx, "there"); err != nil || found {
		t.Errorf("ended session: got %v, %v, want none", found, err)
	}
}

// A session goes on under a new token, with the time of its sign-in. The old token is dead, for
// streams as well, and no other session is kept.
func TestMoveSession_keeps_no_other_token_valid(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, ctx := addUser(t, db), t.Context()
	for _, token := range []string{"kept", "lost", "ended"} {
		check(t, db.SignIns().SaveSession(ctx, BrowserSession{
			Token: token, Data: []byte("x"), Expires: time.Now().Add(time.Hour), UserID: user.ID, Version: user.AccessVersion,
		}))
	}
	check(t, db.SignIns().EndSession(ctx, "ended"))
	watched := []SessionAccess{{"kept", user.ID, user.AccessVersion}, {"lost", user.ID, user.AccessVersion}}
	asAdmin(t, db, "UPDATE sessions SET created_at = now() - interval '1 hour'")
	check(t, db.Accounts().RevokeSessions(ctx, user, ""))
	for token, want := range map[string]bool{"kept": true, "ended": false} {
		moved := BrowserSession{Token: token + " moved", Data: []byte("new"), Version: user.AccessVersion}
		if kept, err := db.SignIns().MoveSession(ctx, token, moved); err != nil || kept != want {
			t.Errorf("keep %s: got %v, %v, want %v", token, kept, err, want)
		}
	}
	watched = append(watched, SessionAccess{"kept moved", user.ID, user.AccessVersion})
	invalid, err := db.SignIns().InvalidSessions(ctx, watched)
	check(t, err)
	if !slices.Equal(invalid, watched[:2]) {
		t.Errorf("invalid: got %v, want %v", invalid, watched[:2])
	}
	if _, found, err := db.SignIns().Session(ctx, "kept"); err != nil || found {
		t.Errorf("the old token: got %v, %v, want none", found, err)
	}
	if recent, err := db.SignIns().SignedInWithin(ctx, "kept moved", time.Minute); err != nil || recent {
		t.Errorf("signed in within a minute: got %v, %v, want false", recent, err)
	}
}

// A program that signs in for each request must not fill the table, and the owner can still end
// every session that there is.
func TestSaveSession_removes_the_sessions_that_are_too_many(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, other, ctx := addUser(t, db), addUser(t, db), t.Context()
	save := func(token, userID string) {
		check(t, db.SignIns().SaveSession(ctx, BrowserSession{Token: token, Data: []byte("x"), Expires: time.Now().Add(time.Hour), UserID: userID}))
	}
	save("of another", other.ID)
	for i := range maxSessions {
		save(fmt.Sprint("session ", i), user.ID)
	}
	asAdmin(t, db, "UPDATE sessions SET seen_at = now() - interval '1 day' WHERE token = 'session 7'")
	save("session 8", user.ID) // is saved again
	if _, found, err := db.SignIns().Session(ctx, "session 9"); err != nil || !found {
		t.Errorf("%d sessions: got %v, %v, want all", maxSessions, found, err)
	}
	asAdmin(t, db, "UPDATE sessions SET seen_at = now() - interval '1 day' WHERE token = 'session 7'")
	save("one more", user.ID)
	for token, want := range map[string]bool{"one more": true, "session 0": true, "session 7": false, "of another": true} {
		if _, found, err := db.SignIns().Session(ctx, token); err != nil || found != want {
			t.Errorf("%s: got %v, %v, want %v", token, found, err, want)
		}
	}
	if got := number(t, db, "SELECT count(*) FROM sessions WHERE user_id = ?", user.ID); got != maxSessions {
		t.Errorf("rows: got %d, want %d", got, maxSessions)
	}
}
