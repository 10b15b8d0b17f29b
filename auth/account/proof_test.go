package account

import (
	"testing"

	"portico/model"
)

func reasonOf(err error) model.Reason {
	if err == nil {
		return ""
	}
	return model.AsError(err).Reason
}

func TestRequireProof_needs_the_session_and_the_password(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	caller, ctx := w.signIn(user), t.Context()
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
		if got := reasonOf(w.registry.RequireProof(ctx, row.caller, row.password)); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
	w.wantFailure(model.ByPassword, model.EventReasonAccountChange)
	// Guessing ends for the account, and neither another session nor the right password
	// goes on.
	for range 10 {
		_ = w.registry.RequireProof(ctx, caller, "wrong horse")
	}
	if got := model.CodeOf(w.registry.RequireProof(ctx, w.signIn(user), password)); got != model.CodeRateLimited {
		t.Errorf("after too many guesses: got %q, want %q", got, model.CodeRateLimited)
	}
}

// An account without a password proves itself by a sign-in of the last minutes.
func TestRequireProof_without_a_password(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	check(t, w.db.Accounts().SetPassword(t.Context(), user.ID, ""))
	caller := w.signIn(w.byEmail(user.Email))
	if err := w.registry.RequireProof(t.Context(), caller, ""); err != nil {
		t.Errorf("after a sign-in: got %v, want nil", err)
	}
	if recent, err := w.db.SignIns().SignedInWithin(t.Context(), caller.Session, 0); err != nil || recent {
		t.Errorf("signed in now: got %v, %v, want false", recent, err)
	}
	check(t, w.registry.SetPassword(t.Context(), caller, "correct horse battery"))
	if got := reasonOf(w.registry.RequireProof(t.Context(), caller, "")); got != model.ReasonNeedsProof {
		t.Errorf("with a password again: got %q, want %q", got, model.ReasonNeedsProof)
	}
}
