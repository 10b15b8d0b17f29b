package web

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/model"
)

func newExternalWorld(t *testing.T, signup bool) (*world, *provider) {
	t.Helper()
	p := newProvider(t)
	return newWorld(t, func(o *worldOptions) { o.OIDC, o.accounts.Signup = p.options(), signup }), p
}

func TestExternal_makes_an_account(t *testing.T) {
	t.Parallel()
	w, p := newExternalWorld(t, true)
	p.Claims = map[string]any{"email": "Ada@example.com", "email_verified": true, "name": "Ada L."}
	b := w.browser()
	wantText(t, b.get("/login"), "Continue with "+strings.TrimPrefix(p.URL(), "http://"))
	started := b.get("/login/external?next=%2Faccount%2Fkey")
	wantRedirect(t, b.get(p.Agree(started.location())), "/account/key")
	user, err := w.db.Accounts().UserByEmail(t.Context(), "ada@example.com")
	check(t, err)
	if user.Name != "Ada L." || user.PasswordHash != "" || user.Quota != 10_000_000_000 {
		t.Errorf("account: got %+v, want Ada L., no password, the default quota", user)
	}
	// The provider's user stays the same account when the address changes.
	p.Claims = map[string]any{"email": "lovelace@example.com", "email_verified": true}
	again := w.browser()
	wantRedirect(t, p.signIn(again), "/console")
	again.wantSignedIn(user.ID)
}

func TestExternal_links_by_verified_address_only(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		claims map[string]any
		signup bool
		want   int
	}{
		{"verified", map[string]any{"email": "ada@example.com", "email_verified": true}, false, http.StatusFound},
		{"verified_as_text", map[string]any{"email": "ada@example.com", "email_verified": "true"}, false, http.StatusFound},
		{"not_verified", map[string]any{"email": "ada@example.com", "email_verified": false}, true, http.StatusForbidden},
		{"not_said", map[string]any{"email": "ada@example.com"}, true, http.StatusForbidden},
		{"said_oddly", map[string]any{"email": "ada@example.com", "email_verified": 1}, true, http.StatusForbidden},
		{"no_address", map[string]any{"email_verified": true}, true, http.StatusForbidden},
		{"no_account_and_no_sign-up", map[string]any{"email": "eve@example.com", "email_verified": true}, false, http.StatusForbidden},
		// U+212A is k in lower case.
		{"letter_that_becomes_another", map[string]any{"email": "\u212Aate@example.com", "email_verified": true}, true, http.StatusForbidden},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w, p := newExternalWorld(t, row.signup)
			w.addUser("ada@example.com")
			w.addUser("kate@example.com")
			p.Claims = row.claims
			b := w.browser()
			got := b.wantStatus(p.signIn(b), row.want)
			signedIn := b.get("/account/key").status == http.StatusOK
			if want := row.want == http.StatusFound; signedIn != want {
				t.Errorf("signed in: got %v, want %v\n%s", signedIn, want, got.body)
			}
		})
	}
}

// Authelia and Zitadel return the claims at the userinfo endpoint, and not in the ID token.
func TestExternal_asks_userinfo_for_what_the_ID_token_lacks(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name             string
		claims, userInfo map[string]any
		want             int
		log              string
	}{
		{"all_claims", nil, map[string]any{"email": "ada@example.com", "email_verified": true, "name": "Ada L."}, http.StatusFound, ""},
		{"whether_it_is_verified", map[string]any{"email": "Ada@example.com"}, map[string]any{"email": "ada@example.com", "email_verified": "true"}, http.StatusFound, ""},
		{"the_name_of_another_address", map[string]any{"email": "ada@example.com", "email_verified": true}, map[string]any{"email": "eve@example.com", "email_verified": false}, http.StatusFound, ""},
		{"another_address", map[string]any{"email": "ada@example.com"}, map[string]any{"email": "eve@example.com", "email_verified": true}, http.StatusForbidden, "says_whether_verified=false"},
		{"a_refusal_stays", map[string]any{"email": "ada@example.com", "email_verified": false}, map[string]any{"email": "ada@example.com", "email_verified": true}, http.StatusForbidden, "says_whether_verified=true"},
		{"another_person", nil, map[string]any{"sub": "2", "email": "ada@example.com", "email_verified": true}, http.StatusForbidden, "another subject"},
		{"nothing", nil, map[string]any{}, http.StatusForbidden, "has_email=false"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p, log := newProvider(t), &safeLog{}
			w := newWorld(t, func(o *worldOptions) {
				o.OIDC, o.accounts.Signup, o.Logger = p.options(), true, slog.New(slog.NewTextHandler(log, nil))
			})
			p.Claims, p.UserInfo = row.claims, row.userInfo
			b := w.browser()
			got := b.wantStatus(p.signIn(b), row.want)
			if signedIn := b.get("/account/key").status == http.StatusOK; signedIn != (row.want == http.StatusFound) {
				t.Errorf("signed in: got %v\n%s", signedIn, got.body)
			}
			if refused := strings.Contains(log.String(), "external sign-in refused"); refused != (row.want == http.StatusForbidden) {
				t.Errorf("the log says that it was refused: got %v\n%s", refused, log)
			}
			if !strings.Contains(log.String(), row.log) || strings.Contains(log.String(), "@example.com") {
				t.Errorf("log: got %s\nwant %q, and no address", log, row.log)
			}
		})
	}
}

// Microsoft Entra ID sends no email_verified. The operator may trust the addresses of a provider that
// does not say, but not an address of which it says that it is not verified.
func TestExternal_may_trust_a_provider_that_does_not_say(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		trusts bool
		claims map[string]any
		want   int
	}{
		{"trusted", true, map[string]any{"email": "ada@example.com"}, http.StatusFound},
		{"not_trusted", false, map[string]any{"email": "ada@example.com"}, http.StatusForbidden},
		{"not_verified", true, map[string]any{"email": "ada@example.com", "email_verified": false}, http.StatusForbidden},
		{"no_address", true, map[string]any{}, http.StatusForbidden},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t)
			w := newWorld(t, func(o *worldOptions) {
				o.OIDC, o.accounts.Signup = p.options(), true
				o.OIDC.TrustEmail = row.trusts
			})
			p.Claims = row.claims
			b := w.browser()
			b.wantStatus(p.signIn(b), row.want)
		})
	}
}

// Postgres cannot store a NUL. The provider is at fault, not this server.
func TestExternal_refuses_a_subject_that_cannot_be_stored(t *testing.T) {
	t.Parallel()
	w, p := newExternalWorld(t, true)
	for _, subject := range []string{"a\x00b", "a\nb", strings.Repeat("x", maxSubject+1)} {
		p.Claims = map[string]any{"sub": subject, "email": "ada@example.com", "email_verified": true}
		b := w.browser()
		b.wantStatus(p.signIn(b), http.StatusBadGateway)
	}
}

// An address that the provider gave to somebody else does not open the account
// of who had it before.
func TestExternal_refuses_a_second_person_with_the_same_address(t *testing.T) {
	t.Parallel()
	w, p := newExternalWorld(t, true)
	w.addUser("ada@example.com")
	p.Claims = map[string]any{"sub": "first", "email": "ada@example.com", "email_verified": true}
	wantRedirect(t, p.signIn(w.browser()), "/console")
	p.Claims["sub"] = "second"
	b := w.browser()
	b.wantStatus(p.signIn(b), http.StatusForbidden)
	p.Claims["sub"] = "first"
	wantRedirect(t, p.signIn(w.browser()), "/console")
}

// A person who signed up with the address of somebody else loses the account to the owner
// of the address, with password, session and key.
func TestExternal_locks_out_who_signed_up_with_another_s_address(t *testing.T) {
	t.Parallel()
	w, p := newExternalWorld(t, true)
	squatter := w.browser()
	wantRedirect(t, squatter.post("/signup", url.Values{"email": {"ada@example.com"}, "name": {"Eve"}, "password": {password}}), "/console")
	user, err := w.db.Accounts().UserByEmail(t.Context(), "ada@example.com")
	check(t, err)
	key, err := w.keys.EnsureKey(t.Context(), user.ID)
	check(t, err)

	p.Claims = map[string]any{"email": "ada@example.com", "email_verified": true}
	owner := w.browser()
	wantRedirect(t, p.signIn(owner), "/console")
	owner.wantSignedIn(user.ID)
	wantRedirect(t, squatter.get("/account/key"), "/login?next=%2Faccount%2Fkey")
	squatter.wantStatus(squatter.signIn("ada@example.com"), http.StatusUnprocessableEntity)
	if _, err := w.keys.Caller(t.Context(), key); model.CodeOf(err) != model.CodeUnauthenticated {
		t.Errorf("the squatter's key: got %v, want it refused", err)
	}
}

func TestExternal_keeps_the_password_of_an_account_that_the_operator_made(t *testing.T) {
	t.Parallel()
	w, p := newExternalWorld(t, true)
	w.addUser("ada@example.com")
	p.Claims = map[string]any{"email": "ada@example.com", "email_verified": true}
	wantRedirect(t, p.signIn(w.browser()), "/console")
	wantRedirect(t, w.browser().signIn("ada@example.com"), "/console")
}

// Linking revokes the earlier access, once.
func TestExternal_ends_sessions_and_keys_when_it_links(t *testing.T) {
	t.Parallel()
	w, p := newExternalWorld(t, true)
	user := w.addUser("ada@example.com")
	before := w.browser()
	before.signIn("ada@example.com")
	key, err := w.keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	p.Claims = map[string]any{"email": "ada@example.com", "email_verified": true}
	owner := w.browser()
	wantRedirect(t, p.signIn(owner), "/console")
	owner.wantStatus(owner.get("/account/key"), http.StatusOK)
	wantRedirect(t, before.get("/account/key"), "/login?next=%2Faccount%2Fkey")
	if _, err := w.keys.Caller(t.Context(), key); model.CodeOf(err) != model.CodeUnauthenticated {
		t.Errorf("key from before: got %v, want it refused", err)
	}
	made, err := w.keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	wantRedirect(t, p.signIn(w.browser()), "/console")
	owner.wantStatus(owner.get("/account/key"), http.StatusOK)
	if _, err := w.keys.Caller(t.Context(), made); err != nil {
		t.Errorf("key after the second sign-in: got %v, want it valid still", err)
	}
}

func TestExternal_refuses_a_forged_return(t *testing.T) {
	t.Parallel()
	verified := map[string]any{"email": "ada@example.com", "email_verified": true}
	withClaim := func(name string, value any) map[string]any {
		claims := map[string]any{name: value}
		for k, v := range verified {
			claims[k] = v
		}
		return claims
	}
	for _, row := range []struct {
		name   string
		claims map[string]any
		change func(path string) string
		want   int
	}{
		{"other_state", verified, func(p string) string { return strings.Replace(p, "state=", "state=x", 1) }, http.StatusBadRequest},
		{"no_state", verified, func(p string) string { p, _, _ = strings.Cut(p, "&state="); return p }, http.StatusBadRequest},
		{"no_code", verified, func(p string) string { return strings.Replace(p, "code=", "error=", 1) }, http.StatusUnprocessableEntity},
		{"other_code", verified, func(p string) string { return strings.Replace(p, "code=", "code=x", 1) }, http.StatusBadGateway},
		{"no_subject", withClaim("sub", ""), nil, http.StatusBadGateway},
		{"other_nonce", withClaim("nonce", "x"), nil, http.StatusBadGateway},
		{"no_nonce", withClaim("nonce", ""), nil, http.StatusBadGateway},
		{"other_audience", withClaim("aud", "another"), nil, http.StatusBadGateway},
		{"other_issuer", withClaim("iss", "https://evil.example"), nil, http.StatusBadGateway},
		{"expired", withClaim("exp", time.Now().Add(-time.Hour).Unix()), nil, http.StatusBadGateway},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w, p := newExternalWorld(t, true)
			p.Claims = row.claims
			b := w.browser()
			back := p.Agree(b.get("/login/external").location())
			if row.change != nil {
				back = row.change(back)
			}
			b.wantStatus(b.get(back), row.want)
			wantRedirect(t, b.get("/account/key"), "/login?next=%2Faccount%2Fkey")
		})
	}
}

func TestExternal_return_works_once_and_in_its_browser_only(t *testing.T) {
	t.Parallel()
	w, p := newExternalWorld(t, true)
	p.Claims = map[string]any{"email": "ada@example.com", "email_verified": true}
	b, other := w.browser(), w.browser()
	back := p.Agree(b.get("/login/external").location())
	other.wantStatus(other.get(back), http.StatusBadRequest)
	wantRedirect(t, b.get(back), "/console")
	b.wantStatus(b.get(back), http.StatusBadRequest)
}

// A provider that is down stops neither the start nor passwords, and is asked
// again.
func TestExternal_provider_is_down(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	p.SetDown(true)
	w := newWorld(t, func(o *worldOptions) { o.OIDC = p.options() })
	w.addUser("ada@example.com")
	b := w.browser()
	wantText(t, b.wantStatus(b.get("/login/external"), http.StatusBadGateway), externalFailed)
	wantRedirect(t, w.browser().signIn("ada@example.com"), "/console")
	p.SetDown(false)
	b.wantStatus(b.get("/login/external"), http.StatusFound)
}

func TestTrail_of_an_external_sign_in(t *testing.T) {
	t.Parallel()
	w, p := newExternalWorld(t, false)
	ada := w.addUser("ada@example.com")
	p.Claims = map[string]any{"sub": "first", "email": "ada@example.com", "email_verified": true}
	wantRedirect(t, p.signIn(w.browser()), "/console")
	p.Claims = map[string]any{"sub": "second", "email": "ada@example.com", "email_verified": true}
	b := w.browser()
	b.wantStatus(p.signIn(b), http.StatusForbidden)
	want := []string{"ada account-created", "ada identity-linked", "ada signed-in", "nobody sign-in-failed"}
	if got := w.trail(ada); !slices.Equal(got, want) {
		t.Errorf("trail:\ngot  %q\nwant %q", got, want)
	}
}

// safeLog is a log that several goroutines write.
type safeLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *safeLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *safeLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
