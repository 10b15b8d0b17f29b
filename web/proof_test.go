package web

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"portico/auth"
	"portico/db"
	"portico/model"
)

// caller returns the caller of a request that one of our pages sends in this browser; nil
// where nobody is signed in.
func (b *browser) caller() *model.Caller {
	b.w.t.Helper()
	r, err := http.NewRequestWithContext(b.w.t.Context(), http.MethodPost, b.w.server.URL+"/graphql", strings.NewReader("{}"))
	check(b.w.t, err)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.AddCookie(&http.Cookie{Name: "portico_session", Value: b.cookie()})
	caller, err := b.w.site.Caller(r)
	check(b.w.t, err)
	return caller
}

// reasonOf returns the reason of a refusal, or "".
func reasonOf(err error) model.Reason {
	if err == nil {
		return ""
	}
	return model.AsError(err).Reason
}

func TestRequireProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	b := w.browser()
	b.signIn("ada@example.com")
	caller, ctx := b.caller(), t.Context()
	for _, row := range []struct {
		name, password string
		caller         *model.Caller
		want           model.Reason
	}{
		{"the password", password, caller, ""},
		{"no password", "", caller, model.ReasonNeedsProof},
		{"a wrong password", "wrong horse", caller, model.ReasonWrongPassword},
		{"the password from a program", password, &model.Caller{UserID: user.ID, KeyID: "k"}, model.ReasonNeedsSession},
	} {
		if got := reasonOf(w.site.RequireProof(ctx, row.caller, row.password)); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
	// Guessing ends for the account, and neither another session nor the right password
	// goes on.
	for range 10 {
		_ = w.site.RequireProof(ctx, caller, "wrong horse")
	}
	again := w.browser()
	again.signIn("ada@example.com")
	if got := model.CodeOf(w.site.RequireProof(ctx, again.caller(), password)); got != model.CodeRateLimited {
		t.Errorf("after too many guesses: got %q, want %q", got, model.CodeRateLimited)
	}
}

// An account without a password proves itself by a sign-in of the last minutes.
func TestProve_without_a_password(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	b := w.browser()
	b.signIn("ada@example.com")
	old := b.caller()
	check(t, w.site.endOtherAccess(t.Context(), old, noPassword(t.Context(), user.ID)))
	if err := w.site.RequireProof(t.Context(), old, ""); err != nil {
		t.Errorf("after a sign-in: got %v, want nil", err)
	}
	if recent, err := w.db.SignedInWithin(t.Context(), old.Session, 0); err != nil || recent {
		t.Errorf("signed in now: got %v, %v, want false", recent, err)
	}
	check(t, w.site.SetPassword(t.Context(), old, "correct horse battery"))
	if got := reasonOf(w.site.RequireProof(t.Context(), old, "")); got != model.ReasonNeedsProof {
		t.Errorf("with a password again: got %q, want %q", got, model.ReasonNeedsProof)
	}
}

// A new password ends the key and all other sessions. The session that set it stays.
func TestSetPassword_keeps_the_session_that_set_it(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	here, there := w.browser(), w.browser()
	here.signIn("ada@example.com")
	there.signIn("ada@example.com")
	key, err := w.keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	stale := there.caller()

	caller := here.caller()
	if got := model.CodeOf(w.site.SetPassword(t.Context(), caller, "short")); got != model.CodeInvalid {
		t.Errorf("a short password: got %q, want %q", got, model.CodeInvalid)
	}
	check(t, w.site.SetPassword(t.Context(), caller, "a better horse"))
	if here.caller() == nil {
		t.Error("the session that set the password: got signed out, want signed in")
	}
	if there.caller() != nil {
		t.Error("the other session: got signed in, want signed out")
	}
	if _, err := w.keys.Caller(t.Context(), key); model.CodeOf(err) != model.CodeUnauthenticated {
		t.Errorf("the key: got %v, want none", err)
	}
	if got := model.CodeOf(w.site.SetPassword(t.Context(), stale, "a horse of a thief")); got != model.CodeUnauthenticated {
		t.Errorf("by a session that has ended: got %q, want %q", got, model.CodeUnauthenticated)
	}
	stored, err := w.db.User(t.Context(), user.ID)
	check(t, err)
	if matches, err := auth.NewPasswords().Match(t.Context(), "a better horse", stored.PasswordHash); err != nil || !matches {
		t.Errorf("the password: got %v, %v, want the new one", matches, err)
	}
}

func TestEndOtherSessions_keeps_the_session_of_the_browser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	here, there := w.browser(), w.browser()
	here.signIn("ada@example.com")
	there.signIn("ada@example.com")
	key, err := w.keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	check(t, w.site.EndOtherSessions(t.Context(), here.caller()))
	if here.caller() == nil || there.caller() != nil {
		t.Errorf("sessions: got %v and %v, want the first alone", here.caller(), there.caller())
	}
	if _, err := w.keys.Caller(t.Context(), key); err != nil {
		t.Errorf("the key: got %v, want a valid key", err)
	}
	// The cookie still contains the renewed session.
	here.wantStatus(here.get("/account"), http.StatusOK)
}

// noPassword removes the password, as the first sign-in at a provider may.
func noPassword(ctx context.Context, userID string) func(tx *db.DB, user *model.User) error {
	return func(tx *db.DB, _ *model.User) error { return tx.SetPassword(ctx, userID, "") }
}
