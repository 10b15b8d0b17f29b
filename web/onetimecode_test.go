package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"portico/model"
)

// codeAt returns the code that an app shows.
func codeAt(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, at)
	check(t, err)
	return code
}

// turnCodesOn turns the one-time codes of the account on, on a clock that the test sets, and
// returns the secret and the recovery codes.
func (w *world) turnCodesOn(user *model.User, now *time.Time) (secret string, recovery []string) {
	w.t.Helper()
	w.now = func() time.Time { return *now }
	caller := &model.Caller{UserID: user.ID}
	started, err := w.accounts.StartOneTimeCodes(w.t.Context(), caller)
	check(w.t, err)
	recovery, err = w.accounts.ConfirmOneTimeCodes(w.t.Context(), caller, codeAt(w.t, started.Secret, *now))
	check(w.t, err)
	return started.Secret, recovery
}

func TestOneTimeCodes_are_asked_for_after_the_password(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ada, now := w.addUser("ada@example.com"), time.Unix(1_800_000_000, 0)
	secret, recovery := w.turnCodesOn(ada, &now)
	if len(recovery) != model.RecoveryCodes || len(slices.Compact(slices.Sorted(slices.Values(recovery)))) != model.RecoveryCodes {
		t.Fatalf("recovery codes: got %q, want 10 different ones", recovery)
	}
	b := w.browser()
	wantRedirect(t, b.get("/login/code"), "/login")
	enter := func(code string) response {
		return b.post("/login/code?next=%2Fauthorize", url.Values{"code": {code}})
	}
	signIn := func() {
		t.Helper()
		got := b.post("/login?next=%2Fauthorize", url.Values{"email": {ada.Email}, "password": {password}})
		wantRedirect(t, got, "/login/code?next=%2Fauthorize")
		wantRedirect(t, b.get("/account/key"), "/login?next=%2Faccount%2Fkey") // signed in to nothing yet
		wantText(t, b.get("/login/code"), `autocomplete="one-time-code"`)
	}
	refused := func(name, code string) {
		t.Helper()
		if got := enter(code); got.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: got %d, want 422", name, got.status)
		}
	}
	signIn()
	refused("the code that turned them on", codeAt(t, secret, now))
	refused("an earlier code", codeAt(t, secret, now.Add(-30*time.Second)))
	refused("a code of the future", codeAt(t, secret, now.Add(time.Minute)))
	refused("no code", "")
	next := codeAt(t, secret, now.Add(30*time.Second))
	wantRedirect(t, enter(next[:3]+" "+next[3:]), "/authorize")
	b.wantStatus(b.get("/account/key"), http.StatusOK)

	b = w.browser()
	signIn()
	refused("a code that was used", next)
	wantRedirect(t, enter(strings.ToUpper(strings.ReplaceAll(recovery[0], "-", ""))), "/authorize")
	b = w.browser()
	signIn()
	refused("a recovery code that was used", recovery[0])
	now = now.Add(time.Minute)
	wantRedirect(t, enter(codeAt(t, secret, now)), "/authorize")
	codes, err := w.db.SignIns().OneTimeCodes(t.Context(), ada.ID)
	check(t, err)
	if codes.RecoveryCodesLeft != 9 {
		t.Errorf("recovery codes: got %d left, want 9", codes.RecoveryCodesLeft)
	}
	for _, event := range []string{"ada codes-enabled", "ada recovery-code-used"} {
		if got := w.trail(ada); !slices.Contains(got, event) {
			t.Errorf("trail: got no %s in %q", event, got)
		}
	}
}

// Ten codes in 15 minutes, in however many browsers; a new password ends what waits for a code.
func TestOneTimeCodes_cannot_be_guessed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ada, now := w.addUser("ada@example.com"), time.Unix(1_800_000_000, 0)
	secret, recovery := w.turnCodesOn(ada, &now)
	now = now.Add(time.Hour)
	waiting := w.browser()
	wantRedirect(t, waiting.signIn(ada.Email), "/login/code")
	for range 10 {
		b := w.browser()
		wantRedirect(t, b.signIn(ada.Email), "/login/code")
		b.wantStatus(b.post("/login/code", url.Values{"code": {"12345x"}}), http.StatusUnprocessableEntity)
	}
	for _, code := range []string{codeAt(t, secret, now), recovery[0]} {
		waiting.wantStatus(waiting.post("/login/code", url.Values{"code": {code}}), http.StatusTooManyRequests)
	}
	check(t, w.db.Accounts().SetPassword(t.Context(), ada.ID, "another hash"))
	wantRedirect(t, waiting.post("/login/code", url.Values{"code": {recovery[0]}}), "/login")
}

// A secret counts after its first code, and cannot be replaced while it is on. The database
// has it encrypted.
func TestOneTimeCodes_are_turned_on_by_a_code(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ada, caller := w.addUser("ada@example.com"), &model.Caller{}
	caller.UserID = ada.ID
	if _, err := w.accounts.ConfirmOneTimeCodes(t.Context(), caller, "123456"); model.CodeOf(err) != model.CodeConflict {
		t.Errorf("confirm without a secret: got %v, want %s", err, model.CodeConflict)
	}
	first, err := w.accounts.StartOneTimeCodes(t.Context(), caller)
	check(t, err)
	if !strings.HasPrefix(first.URI, "otpauth://totp/") || !strings.HasPrefix(first.QRCode, "data:image/png;base64,") {
		t.Errorf("secret: got %s and %.30s, want an address and a picture", first.URI, first.QRCode)
	}
	wantRedirect(t, w.browser().signIn(ada.Email), "/console") // not on yet
	now := time.Unix(1_800_000_000, 0)
	w.now = func() time.Time { return now }
	second, err := w.accounts.StartOneTimeCodes(t.Context(), caller)
	check(t, err)
	if _, err := w.accounts.ConfirmOneTimeCodes(t.Context(), caller, codeAt(t, first.Secret, now)); model.CodeOf(err) != model.CodeInvalid {
		t.Errorf("the code of a replaced secret: got %v, want %s", err, model.CodeInvalid)
	}
	_, err = w.accounts.ConfirmOneTimeCodes(t.Context(), caller, codeAt(t, second.Secret, now))
	check(t, err)
	if _, err := w.accounts.StartOneTimeCodes(t.Context(), caller); model.CodeOf(err) != model.CodeConflict {
		t.Errorf("start again: got %v, want %s", err, model.CodeConflict)
	}
	stored, err := w.db.SignIns().OneTimeSecret(t.Context(), ada.ID)
	check(t, err)
	if strings.Contains(string(stored.Sealed), second.Secret) {
		t.Error("the stored secret is plain")
	}
	if _, err := w.keys.OpenCode("12345678", stored.Sealed); err == nil {
		t.Error("the secret opens for another account")
	}
	ended, err := w.db.SignIns().EndOneTimeCodes(t.Context(), ada.ID)
	if err != nil || !ended {
		t.Errorf("turn off: got %v, %v, want true", ended, err)
	}
	wantRedirect(t, w.browser().signIn(ada.Email), "/console")
}
