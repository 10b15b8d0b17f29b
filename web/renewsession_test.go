package web

import (
	"net/http"
	"strings"
	"testing"

	"portico/auth"
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
	if got := model.CodeOf(w.accounts.SetPassword(t.Context(), caller, "short")); got != model.CodeInvalid {
		t.Errorf("a short password: got %q, want %q", got, model.CodeInvalid)
	}
	check(t, w.accounts.SetPassword(t.Context(), caller, "a better horse"))
	if here.caller() == nil {
		t.Error("the session that set the password: got signed out, want signed in")
	}
	if there.caller() != nil {
		t.Error("the other session: got signed in, want signed out")
	}
	if _, err := w.keys.Caller(t.Context(), key); model.CodeOf(err) != model.CodeUnauthenticated {
		t.Errorf("the key: got %v, want none", err)
	}
	if got := model.CodeOf(w.accounts.SetPassword(t.Context(), stale, "a horse of a thief")); got != model.CodeUnauthenticated {
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
	check(t, w.accounts.EndOtherSessions(t.Context(), here.caller()))
	if here.caller() == nil || there.caller() != nil {
		t.Errorf("sessions: got %v and %v, want the first alone", here.caller(), there.caller())
	}
	if _, err := w.keys.Caller(t.Context(), key); err != nil {
		t.Errorf("the key: got %v, want a valid key", err)
	}
	// The cookie still contains the renewed session.
	here.wantStatus(here.get("/account"), http.StatusOK)
}
