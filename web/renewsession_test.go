package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"portico/auth"
	"portico/model"
)

// caller returns the caller of a request that one of our pages sends in this browser; nil
// where nobody is signed in.
func (b *browser) caller() *model.Caller {
	b.w.t.Helper()
	w := httptest.NewRecorder()
	caller, err := b.w.site.Caller(w, b.w.pageRequest(b.cookie()))
	check(b.w.t, err)
	if caller != nil {
		send := caller.SetSession
		caller.SetSession = func(token string, expires time.Time) {
			send(token, expires)
			b.setCookies(w.Result())
		}
	}
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
	copied := here.cookie()
	check(t, w.accounts.SetPassword(t.Context(), caller, "a better horse"))
	if w.callerOf(copied) != nil {
		t.Error("a copy of the cookie of the session that set the password: got signed in, want signed out")
	}
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
	stored, err := w.db.Accounts().User(t.Context(), user.ID)
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
	copied := here.cookie()
	check(t, w.accounts.EndOtherSessions(t.Context(), here.caller()))
	if w.callerOf(copied) != nil {
		t.Error("a copy of the cookie of the browser: got signed in, want signed out")
	}
	if here.caller() == nil || there.caller() != nil {
		t.Errorf("sessions: got %v and %v, want the first alone", here.caller(), there.caller())
	}
	if _, err := w.keys.Caller(t.Context(), key); err != nil {
		t.Errorf("the key: got %v, want a valid key", err)
	}
	// The cookie still contains the renewed session.
	here.wantStatus(here.get("/account/key"), http.StatusOK)
}

// A response whose headers were sent cannot have a cookie, so nothing changes.
func TestRenewSession_needs_a_response_that_can_have_a_cookie(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.addUser("ada@example.com")
	b := w.browser()
	b.signIn("ada@example.com")
	caller := b.caller()
	caller.SetSession = nil
	if got := model.CodeOf(w.accounts.SetPassword(t.Context(), caller, "a better horse")); got != model.CodeInvalid {
		t.Errorf("over a socket: got %q, want %q", got, model.CodeInvalid)
	}
	if b.caller() == nil {
		t.Error("the session: got signed out, want signed in")
	}
}
