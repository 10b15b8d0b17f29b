package account

import (
	"errors"
	"testing"

	"portico/auth"
	"portico/db"
	"portico/model"
)

func TestNew_shares_the_hasher(t *testing.T) {
	t.Parallel()
	passwords := auth.NewPasswords()
	registry, err := New(Options{Passwords: passwords})
	check(t, err)
	if registry.passwords != passwords {
		t.Error("hasher: got another, want the one of the options")
	}
}

func TestSetPassword_ends_all_sessions_but_the_caller_s(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	here, there := w.signIn(user), w.signIn(user)
	check(t, w.registry.SetPassword(t.Context(), here, "a better horse"))
	if !w.isSignedIn(here) || w.isSignedIn(there) {
		t.Errorf("signed in: got %v and %v, want the caller's session alone", w.isSignedIn(here), w.isSignedIn(there))
	}
	for text, want := range map[string]bool{password: false, "a better horse": true} {
		found, err := w.registry.Authenticate(t.Context(), user.Email, text)
		if err != nil || (found != nil) != want {
			t.Errorf("sign in with %q: got %v, %v, want an account %v", text, found, err, want)
		}
	}
}

func TestEndOtherSessions_records_that_one_is_kept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	here, there := w.signIn(user), w.signIn(user)
	check(t, w.registry.EndOtherSessions(t.Context(), here))
	if !w.isSignedIn(here) || w.isSignedIn(there) {
		t.Errorf("signed in: got %v and %v, want the caller's session alone", w.isSignedIn(here), w.isSignedIn(there))
	}
	found, err := w.db.Audit().AuditTrail(t.Context(), db.AuditFilter{}, 1000)
	check(t, err)
	if last := found[len(found)-1]; last.Type != model.EventSessionsEnded || last.Reason != model.EventReasonOtherSessions {
		t.Errorf("latest event: got %+v, want ended sessions but one", last)
	}
}

// A session that ends while its owner enters a new password changes nothing.
func TestSetPassword_changes_nothing_for_a_session_that_has_ended(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	there := w.signIn(user)
	ended := &model.Caller{UserID: user.ID, Session: "ended"}
	if err := w.registry.SetPassword(t.Context(), ended, "a horse of a thief"); !errors.Is(err, errEnded) {
		t.Errorf("set the password: got %v, want %v", err, errEnded)
	}
	if err := w.registry.EndOtherSessions(t.Context(), ended); !errors.Is(err, errEnded) {
		t.Errorf("end the other sessions: got %v, want %v", err, errEnded)
	}
	if got := w.byEmail(user.Email); *got != *user {
		t.Errorf("account: got %+v, want %+v", got, user)
	}
	if !w.isSignedIn(there) {
		t.Error("another session: got signed out, want signed in")
	}
}
