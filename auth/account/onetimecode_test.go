package account

import (
	"errors"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"portico/auth"
)

// A session that waits for a code can find the codes turned off, or started again.
func TestUseCode_accepts_only_codes_that_are_on(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	w := newWorld(t, func(o *Options) {
		var err error
		o.Keys, err = auth.NewKeys(o.DB, []byte("0123456789abcdef"))
		check(t, err)
		o.Now = func() time.Time { return now }
	})
	user := w.addUser("ada@example.com")
	caller := w.signIn(user)
	started, err := w.registry.StartOneTimeCodes(t.Context(), caller)
	check(t, err)
	want := func(name string, requires, accepts bool) {
		t.Helper()
		code, err := totp.GenerateCode(started.Secret, now)
		check(t, err)
		gotRequires, requiresErr := w.registry.RequiresCode(t.Context(), user.ID)
		gotAccepts, acceptsErr := w.registry.UseCode(t.Context(), user.ID, code)
		if err := errors.Join(requiresErr, acceptsErr); err != nil || gotRequires != requires || gotAccepts != accepts {
			t.Errorf("%s: got required %v, accepted %v, %v; want %v, %v", name, gotRequires, gotAccepts, err, requires, accepts)
		}
	}
	want("not confirmed", false, false)
	code, err := totp.GenerateCode(started.Secret, now)
	check(t, err)
	_, err = w.registry.ConfirmOneTimeCodes(t.Context(), caller, code)
	check(t, err)
	now = now.Add(time.Minute)
	want("on", true, true)
	now = now.Add(time.Minute)
	_, err = w.db.EndOneTimeCodes(t.Context(), user.ID)
	check(t, err)
	want("off", false, false)
}
