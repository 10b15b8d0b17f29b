package account

import (
	"errors"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"portico/auth"
	"portico/db"
	"portico/model"
)

// newCodeWorld is newWorld with one-time codes, on a clock that the test sets.
func newCodeWorld(t *testing.T, now *time.Time) *world {
	t.Helper()
	return newWorld(t, func(o *Options) {
		var err error
		o.Keys, err = auth.NewKeys(o.DB, []byte("0123456789abcdef"))
		check(t, err)
		o.Now = func() time.Time { return *now }
	})
}

// A session that waits for a code can find the codes turned off, or started again.
func TestUseCode_accepts_only_codes_that_are_on(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	w := newCodeWorld(t, &now)
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
	_, err = w.db.SignIns().EndOneTimeCodes(t.Context(), user.ID)
	check(t, err)
	want("off", false, false)
	w.wantFailure(model.ByPassword, model.EventReasonWrongCode)
}

// The response with the recovery codes may be lost, or a request may be sent twice. Somebody who
// has not seen the recovery codes must learn how to get new ones.
func TestConfirmOneTimeCodes_says_that_the_codes_are_on(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	w := newCodeWorld(t, &now)
	caller := w.signIn(w.addUser("ada@example.com"))
	started, err := w.registry.StartOneTimeCodes(t.Context(), caller)
	check(t, err)
	code, err := totp.GenerateCode(started.Secret, now)
	check(t, err)
	stored, err := w.db.SignIns().OneTimeSecret(t.Context(), caller.UserID)
	check(t, err)
	confirm := func() error {
		_, err := w.registry.ConfirmOneTimeCodes(t.Context(), caller, code)
		return err
	}
	sameTime := w.whileWaiting(func(tx *db.DB) error {
		on, err := tx.SignIns().ConfirmOneTimeCodes(t.Context(), caller.UserID, stored.Sealed, 1, nil)
		if !on {
			t.Errorf("the first confirmation: got %v, %v, want success", on, err)
		}
		return err
	}, confirm)
	_, startAgain := w.registry.StartOneTimeCodes(t.Context(), caller)
	const want = "One-time codes are on already. Turn them off and on again to get new recovery codes"
	for name, got := range map[string]error{"at the same time": sameTime, "afterwards": confirm(), "start again": startAgain} {
		if model.CodeOf(got) != model.CodeConflict || got.Error() != want {
			t.Errorf("%s: got %v, want %q", name, got, want)
		}
	}
}

func TestConfirmOneTimeCodes_without_a_secret_says_to_start(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	w := newCodeWorld(t, &now)
	_, err := w.registry.ConfirmOneTimeCodes(t.Context(), w.signIn(w.addUser("ada@example.com")), "123456")
	const want = "There is no secret to confirm. Start again"
	if model.CodeOf(err) != model.CodeConflict || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

// Apps show a code in two groups of digits, and people type it as they see it.
func TestConfirmOneTimeCodes_ignores_separators(t *testing.T) {
	t.Parallel()
	for name, separator := range map[string]string{"none": "", "space": " ", "dash": "-"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := time.Unix(1_800_000_000, 0)
			w := newCodeWorld(t, &now)
			caller := w.signIn(w.addUser("ada@example.com"))
			started, err := w.registry.StartOneTimeCodes(t.Context(), caller)
			check(t, err)
			code, err := totp.GenerateCode(started.Secret, now)
			check(t, err)
			recovery, err := w.registry.ConfirmOneTimeCodes(t.Context(), caller, code[:3]+separator+code[3:])
			if err != nil || len(recovery) != model.RecoveryCodes {
				t.Errorf("confirm: got %d recovery codes and %v, want %d", len(recovery), err, model.RecoveryCodes)
			}
		})
	}
}
