package account

import (
	"errors"
	"testing"

	"portico/model"
)

func TestAllowSignIn_refuses_a_disabled_account(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	count := func() (n int) {
		for _, event := range w.trail() {
			if event == string(model.EventSignedIn)+" "+model.ByPasskey+" " {
				n++
			}
		}
		return n
	}
	check(t, w.registry.AllowSignIn(t.Context(), user.ID, model.ByPasskey))
	if got := count(); got != 1 {
		t.Errorf("sign-ins in the audit trail: got %d in %q, want 1", got, w.trail())
	}
	check(t, w.db.Accounts().DisableUser(t.Context(), user.ID, ""))
	err := w.registry.AllowSignIn(t.Context(), user.ID, model.ByPasskey)
	if !errors.Is(err, ErrDisabled) || model.CodeOf(err) != model.CodeForbidden {
		t.Errorf("disabled: got %v, want %v", err, ErrDisabled)
	}
	if got := count(); got != 1 {
		t.Errorf("sign-ins in the audit trail after a refused one: got %d, want 1", got)
	}
}
