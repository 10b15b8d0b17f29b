package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/counter"
	"portico/internal/testkit/postgres"
	"portico/model"
)

// hasName gives the site a name: passkeys belong to none that is an IP address.
func hasName(o *worldOptions) { o.BaseURL = strings.Replace(o.BaseURL, "127.0.0.1", "localhost", 1) }

// addPasskey registers a passkey of the account.
func (w *world) addPasskey(user *model.User) *authenticator {
	w.t.Helper()
	caller, device := &model.Caller{UserID: user.ID}, newAuthenticator(w.t, w.site.base.String())
	options, err := w.accounts.StartPasskey(w.t.Context(), caller)
	check(w.t, err)
	check(w.t, w.accounts.AddPasskey(w.t.Context(), caller, "Phone", device.create(options)))
	return device
}

// challenge returns the options for a sign-in.
func (b *browser) challenge() []byte {
	b.w.t.Helper()
	return []byte(b.wantStatus(b.post("/login/passkey/start", nil), http.StatusOK).body)
}

// usePasskey sends the credential of a device.
func (b *browser) usePasskey(credential []byte) response {
	b.w.t.Helper()
	return b.post("/login/passkey", url.Values{"credential": {string(credential)}, "next": {"/authorize"}})
}

func TestPasskey_signs_in(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hasName)
	ada, now := w.addUser("ada@example.com"), time.Unix(1_800_000_000, 0)
	w.turnCodesOn(ada, &now)
	device := w.addPasskey(ada)
	for range 2 {
		b := w.browser()
		wantText(t, b.get("/login"), "Sign in with a passkey")
		wantRedirect(t, b.usePasskey(device.get(b.challenge())), "/authorize") // without a one-time code
		b.wantStatus(b.get("/account/key"), http.StatusOK)
	}
	stored, err := w.db.SignIns().Passkeys(t.Context(), ada.ID)
	check(t, err)
	if len(stored) != 1 || stored[0].Name != "Phone" || stored[0].UsedAt == nil {
		t.Fatalf("passkeys: got %+v, want Phone, which was used", stored)
	}
	if got := w.trail(ada); !slices.Contains(got, "ada passkey-added") {
		t.Errorf("trail: got %q, want the new passkey", got)
	}
	eve := w.addUser("eve@example.com")
	if err := w.db.SignIns().RemovePasskey(t.Context(), eve.ID, stored[0].ID); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("remove another's: got %v, want %s", err, model.CodeNotFound)
	}
	check(t, w.db.SignIns().RemovePasskey(t.Context(), ada.ID, stored[0].ID))
	b := w.browser()
	b.wantStatus(b.usePasskey(device.get(b.challenge())), http.StatusUnprocessableEntity)
}

// What a thief could send instead of the signature of the owner's device.
func TestPasskey_proves_who_signs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hasName)
	ada, eve := w.addUser("ada@example.com"), w.addUser("eve@example.com")
	owner, thief := w.addPasskey(ada), w.addPasskey(eve)
	b := w.browser()
	started, err := w.accounts.StartPasskey(t.Context(), &model.Caller{UserID: eve.ID})
	check(t, err)
	used := owner.get(b.challenge())
	wantRedirect(t, b.usePasskey(used), "/authorize")
	lying := func(change func(*authenticator)) []byte {
		copied := *owner
		change(&copied)
		return copied.get(b.challenge())
	}
	for name, credential := range map[string][]byte{
		"a credential that was used":    used,
		"another site":                  lying(func(a *authenticator) { a.origin = "https://evil.example" }),
		"another port":                  lying(func(a *authenticator) { a.origin = "http://localhost:1" }),
		"another relying party":         lying(func(a *authenticator) { a.party = "evil.example" }),
		"nobody at the device":          lying(func(a *authenticator) { a.flags = 0 }),
		"no finger, face or PIN":        lying(func(a *authenticator) { a.flags = userPresent }),
		"the thief's key":               lying(func(a *authenticator) { a.key = thief.key }),
		"the thief's key and its id":    lying(func(a *authenticator) { a.key, a.id = thief.key, thief.id }),
		"another account's handle":      lying(func(a *authenticator) { a.user = eve.ID }),
		"a handle that is not text":     lying(func(a *authenticator) { a.user = "\x00\xff" }),
		"no handle":                     lying(func(a *authenticator) { a.user = "" }),
		"a challenge of a registration": thief.get(started),
		"a challenge of its own":        owner.get([]byte(`{"publicKey":{"challenge":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}}`)),
		"no credential":                 []byte("{}"),
	} {
		stranger := w.browser()
		if got := stranger.usePasskey(credential); got.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: got %d, want 422", name, got.status)
		}
		wantRedirect(t, stranger.get("/account/key"), "/login?next=%2Faccount%2Fkey")
	}
	owner.count = 5
	wantRedirect(t, b.usePasskey(owner.get(b.challenge())), "/authorize")
	b = w.browser()
	owner.count = 4 // of a copy
	b.wantStatus(b.usePasskey(owner.get(b.challenge())), http.StatusUnprocessableEntity)
}

// Without a limit, one address could fill the part of the audit trail that is for unknown accounts.
func TestPasskey_is_limited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hasName)
	w.site.limits.byAddress = counter.NewAttempts(5, attemptWindow)
	device, b := w.addPasskey(w.addUser("ada@example.com")), w.browser()
	for range 6 { // a success does not count
		wantRedirect(t, b.usePasskey(device.get(b.challenge())), "/authorize")
	}
	b = w.browser()
	for range 5 {
		b.wantStatus(b.usePasskey([]byte("{}")), http.StatusUnprocessableEntity)
	}
	got := b.wantStatus(b.usePasskey(device.get(b.challenge())), http.StatusTooManyRequests)
	if got.header.Get("Retry-After") == "" {
		t.Error("Retry-After: got none, want one")
	}
	wantText(t, got, "Too many attempts. Try again in 15 minutes")
	b.wantStatus(b.signIn("ada@example.com"), http.StatusTooManyRequests) // both count together
	failed := 0
	direct := postgres.Connect(t, postgres.AdminURL(t, w.url))
	check(t, direct.QueryRowContext(t.Context(), "SELECT count(*) FROM audit_events WHERE type = $1", model.EventSignInFailed).Scan(&failed))
	if failed != 5 {
		t.Errorf("failed sign-ins in the audit trail: got %d, want the 5 that were not refused", failed)
	}
}

// A failure of the database does not count as a failed sign-in.
func TestPasskey_when_the_account_cannot_be_read(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hasName)
	ada := w.addUser("ada@example.com")
	device, b := w.addPasskey(ada), w.browser()
	credential := device.get(b.challenge())
	direct := postgres.Connect(t, postgres.AdminURL(t, w.url))
	_, err := direct.ExecContext(t.Context(), "ALTER TABLE passkeys RENAME TO lost")
	check(t, err)
	b.wantStatus(b.usePasskey(credential), http.StatusInternalServerError)
	failed := 0
	check(t, direct.QueryRowContext(t.Context(), "SELECT count(*) FROM audit_events WHERE type = $1", model.EventSignInFailed).Scan(&failed))
	if failed != 0 {
		t.Errorf("failed sign-ins: got %d, want none", failed)
	}
}

// A passkey is added to the account that started, once, on a page of this server.
func TestAddPasskey_needs_its_own_challenge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hasName)
	ada, eve := &model.Caller{UserID: w.addUser("ada@example.com").ID}, &model.Caller{UserID: w.addUser("eve@example.com").ID}
	device := newAuthenticator(t, w.site.base.String())
	start := func() []byte {
		options, err := w.accounts.StartPasskey(t.Context(), ada)
		check(t, err)
		return options
	}
	refuses := func(name string, caller *model.Caller, credential []byte, want model.Code) {
		t.Helper()
		if got := model.CodeOf(w.accounts.AddPasskey(t.Context(), caller, "Phone", credential)); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	credential := device.create(start())
	refuses("another account", eve, credential, model.CodeNotFound)
	refuses("its own", ada, credential, "")
	refuses("twice", ada, credential, model.CodeNotFound)
	refuses("the same device again", ada, device.create(start()), model.CodeInvalid)
	foreign := newAuthenticator(t, "https://evil.example")
	refuses("another site", ada, foreign.create(start()), model.CodeInvalid)
	unverified := newAuthenticator(t, w.site.base.String())
	unverified.flags = userPresent
	refuses("no finger, face or PIN", ada, unverified.create(start()), model.CodeInvalid)
	refuses("no answer", ada, []byte("{}"), model.CodeInvalid)
}

func TestPasskey_has_no_pages_at_an_IP_address(t *testing.T) {
	t.Parallel()
	b := newWorld(t, nil).browser()
	b.wantStatus(b.post("/login/passkey/start", nil), http.StatusNotFound)
	b.wantStatus(b.usePasskey([]byte("{}")), http.StatusNotFound)
	if got := b.get("/login"); strings.Contains(got.body, "Sign in with a passkey") {
		t.Error("the sign-in page: got an offer of passkeys, want none")
	}
}
