package db

import (
	"errors"
	"slices"
	"testing"
	"time"

	"portico/model"
)

// SessionsOf lists the valid sessions of one account. It leaves out sessions that have ended
// or expired, and sessions of an earlier version of the account.
func TestSessionsOf(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, other := addUser(t, db), addUser(t, db)
	ctx, _ := model.WithOrigin(t.Context(), model.Origin{Address: "203.0.113.77", UserAgent: "Firefox\x00 on a desk"})
	save := func(token string, of *model.User, version int64, left time.Duration) {
		t.Helper()
		check(t, db.SaveSession(ctx, BrowserSession{
			Token: token, Data: []byte("x"), Expires: time.Now().Add(left), UserID: of.ID, Version: version,
		}))
	}
	save("here", user, 0, time.Hour)
	save("there", user, 0, time.Hour)
	save("ended", user, 0, time.Hour)
	save("expired", user, 0, -time.Hour)
	save("before", user, -1, time.Hour)
	save("foreign", other, 0, time.Hour)
	check(t, db.EndSession(ctx, "ended"))
	sessions, err := db.SessionsOf(ctx, user.ID, "here")
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
	if ended, err := db.EndSessionOf(ctx, other.ID, there.ID); err != nil || ended {
		t.Errorf("end another's session: got %v, %v, want false", ended, err)
	}
	for _, want := range []bool{true, false} {
		if ended, err := db.EndSessionOf(ctx, user.ID, there.ID); err != nil || ended != want {
			t.Errorf("end a session: got %v, %v, want %v", ended, err, want)
		}
	}
	if _, found, err := db.Session(ctx, "there"); err != nil || found {
		t.Errorf("ended session: got %v, %v, want none", found, err)
	}
}

// A session that was kept is watched as valid for the new version of its account, and no
// other session is.
func TestKeepSession(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, ctx := addUser(t, db), t.Context()
	for _, token := range []string{"kept", "lost", "ended"} {
		check(t, db.SaveSession(ctx, BrowserSession{
			Token: token, Data: []byte("x"), Expires: time.Now().Add(time.Hour), UserID: user.ID, Version: user.AccessVersion,
		}))
	}
	check(t, db.EndSession(ctx, "ended"))
	watched := []SessionAccess{{"kept", user.ID, user.AccessVersion}, {"lost", user.ID, user.AccessVersion}}
	check(t, db.EndSessions(ctx, user))
	for token, want := range map[string]bool{"kept": true, "ended": false} {
		if kept, err := db.KeepSession(ctx, token, []byte("new"), user.AccessVersion); err != nil || kept != want {
			t.Errorf("keep %s: got %v, %v, want %v", token, kept, err, want)
		}
	}
	invalid, err := db.InvalidSessions(ctx, watched)
	check(t, err)
	if !slices.Equal(invalid, watched[1:]) {
		t.Errorf("invalid: got %v, want %v", invalid, watched[1:])
	}
}

// The last way to sign in stays; with a password every provider can be disconnected.
func TestRemoveIdentity(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user, other := addUser(t, db), addUser(t, db)
	check(t, db.SetPassword(ctx, user.ID, ""))
	check(t, db.AddIdentity(ctx, "https://one.example", "a", user.ID))
	check(t, db.AddIdentity(ctx, "https://two.example", "a", user.ID))
	remove := func(userID, issuer string, want model.Code) {
		t.Helper()
		if got := model.CodeOf(db.RemoveIdentity(ctx, userID, issuer)); got != want {
			t.Errorf("remove %s: got %q, want %q", issuer, got, want)
		}
	}
	remove(other.ID, "https://one.example", model.CodeNotFound)
	remove(user.ID, "https://one.example", "")
	remove(user.ID, "https://one.example", model.CodeNotFound)
	remove(user.ID, "https://two.example", model.CodeConflict)
	left, err := db.Identities(ctx, user.ID)
	check(t, err)
	if len(left) != 1 || left[0].Issuer != "https://two.example" {
		t.Errorf("identities: got %v, want the last one", left)
	}
	check(t, db.SetPassword(ctx, user.ID, "hash"))
	remove(user.ID, "https://two.example", "")
}

// A program loses the consent, and the key that it has.
func TestRemoveConsent(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user, other := addUser(t, db), addUser(t, db)
	check(t, db.AddOAuthClient(ctx, &OAuthClient{
		ID: "app", Name: "App", CreatedAt: model.Now(),
		RedirectURIs: []string{"https://app.example/a", "https://app.example/b", "app.example:/c"},
	}))
	check(t, db.AddOAuthCode(ctx, &OAuthCode{Hash: []byte("h"), ClientID: "app", UserID: user.ID, RedirectURI: "https://app.example/a"}))
	key, err := db.AddKey(ctx, &model.APIKey{ID: "key", UserID: user.ID, Lookup: []byte("l"), Sealed: []byte("s"), CreatedAt: model.Now()})
	check(t, err)
	apps, err := db.ConnectedApps(ctx, user.ID)
	check(t, err)
	if len(apps) != 1 || apps[0].Name != "App" || !slices.Equal(apps[0].Hosts, []string{"app.example", "app.example:"}) {
		t.Fatalf("apps: got %v, want App at its hosts", apps)
	}
	if got := model.CodeOf(db.RemoveConsent(ctx, other.ID, "app")); got != model.CodeNotFound {
		t.Errorf("remove another's consent: got %q, want %q", got, model.CodeNotFound)
	}
	if valid, err := db.KeyIsValid(ctx, key.ID); err != nil || !valid {
		t.Errorf("key afterwards: got %v, %v, want a valid key", valid, err)
	}
	check(t, db.RemoveConsent(ctx, user.ID, "app"))
	if valid, err := db.KeyIsValid(ctx, key.ID); err != nil || valid {
		t.Errorf("key: got %v, %v, want none", valid, err)
	}
	if consented, err := db.HasConsented(ctx, user.ID, "app"); err != nil || consented {
		t.Errorf("consent: got %v, %v, want none", consented, err)
	}
	if _, err := db.TakeOAuthCode(ctx, []byte("h")); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("code: got %v, want none", err)
	}
}

// Everything of the account goes, and nothing of others. Its folder is removed as long as
// something may be written there, and its id is not given out meanwhile.
func TestDeleteUser(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, other := addUser(t, db), addUser(t, db)
	ctx, spaces := t.Context(), map[string]string{}
	for _, owner := range []*model.User{user, other} {
		spaces[owner.ID] = addSpace(t, db, owner, "Hall").ID
		_, err := db.AddKey(ctx, &model.APIKey{
			ID: "key" + owner.ID, UserID: owner.ID, Lookup: []byte(owner.ID), Sealed: []byte("s"), CreatedAt: model.Now(),
		})
		check(t, err)
		check(t, db.SaveSession(ctx, BrowserSession{
			Token: owner.ID, Data: []byte("x"), Expires: time.Now().Add(time.Hour), UserID: owner.ID,
		}))
	}
	pending := addUpload(t, db, user, 100, time.Hour)
	check(t, db.Follow(ctx, other.ID, user.ID))
	check(t, db.Follow(ctx, user.ID, other.ID))
	check(t, db.AddIdentity(ctx, "https://one.example", "a", user.ID))

	refused := model.Forbidden("No")
	if err := db.DeleteUser(ctx, user.ID, func() error { return refused }); !errors.Is(err, refused) {
		t.Errorf("refused: got %v, want %v", err, refused)
	}
	if _, err := db.Space(ctx, spaces[user.ID]); err != nil {
		t.Errorf("space after a refusal: got %v, want it", err)
	}
	allow := func() error { return nil }
	check(t, db.DeleteUser(ctx, user.ID, allow))
	if err := db.DeleteUser(ctx, user.ID, allow); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("again: got %v, want %s", err, model.CodeNotFound)
	}
	for _, table := range []string{
		"users WHERE id = ?", "spaces WHERE owner_id = ?", "api_keys WHERE user_id = ?", "sessions WHERE user_id = ?",
		"json_usage WHERE user_id = ?", "follows WHERE ? IN (user_id, follower_id)", "identities WHERE user_id = ?",
	} {
		var left int
		check(t, db.idb.NewRaw("SELECT count(*) FROM "+table, user.ID).Scan(ctx, &left))
		if left != 0 {
			t.Errorf("%s: got %d rows, want none", table, left)
		}
	}
	if _, err := db.Space(ctx, spaces[other.ID]); err != nil {
		t.Errorf("another's space: got %v, want it", err)
	}
	if former, err := db.isFormerUser(ctx, user.ID); err != nil || !former {
		t.Errorf("the id is kept: got %v, %v, want true", former, err)
	}
	sweeps, err := db.Sweeps(ctx, 10)
	check(t, err)
	if !slices.Contains(sweeps, user.ID+"/") {
		t.Errorf("folders to sweep: got %v, want %s/", sweeps, user.ID)
	}
	var scheduled bool
	check(t, db.idb.NewRaw("SELECT EXISTS (SELECT FROM removals WHERE key = ?)", pending.StorageKey()).Scan(ctx, &scheduled))
	if !scheduled {
		t.Error("the removal of a pending upload: got none")
	}
}
