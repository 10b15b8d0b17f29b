package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/model"
)

// connecting is a browser that is signed in to an account of a site with a provider.
type connecting struct {
	*world
	*provider
	*browser
	user *model.User
}

// newConnecting signs ada in. The person of the provider is the subject "ada at work", whose
// address belongs to no account.
func newConnecting(t *testing.T) connecting {
	t.Helper()
	w, p := newExternalWorld(t, true)
	p.Claims = map[string]any{"sub": "ada at work", "email": "ada@work.example", "email_verified": true}
	c := connecting{w, p, w.browser(), w.addUser("ada@example.com")}
	c.signIn(c.user.Email)
	return c
}

// start asks for a connection as the console does, and returns the path to which the provider sends
// the browser back.
func (c connecting) start(b *browser) string {
	c.t.Helper()
	address, err := c.site.StartIdentity(c.t.Context(), b.caller())
	check(c.t, err)
	return c.Agree(address)
}

// signIn is the browser's, and not the provider's.
func (c connecting) signIn(email string) response { return c.browser.signIn(email) }

func (c connecting) issuers() (issuers []string) {
	c.t.Helper()
	found, err := c.db.SignIns().Identities(c.t.Context(), c.user.ID)
	check(c.t, err)
	for _, identity := range found {
		issuers = append(issuers, identity.Issuer)
	}
	return issuers
}

// wantConnected compares whether the account is connected to the provider.
func (c connecting) wantConnected(want bool) {
	c.t.Helper()
	if got := slices.Contains(c.issuers(), c.URL()); got != want {
		c.t.Errorf("connected: got %v, want %v", got, want)
	}
}

func TestConnect_adds_a_way_to_sign_in(t *testing.T) {
	t.Parallel()
	c := newConnecting(t)
	elsewhere := c.world.browser()
	elsewhere.signIn(c.user.Email)
	wantRedirect(t, c.get(c.start(c.browser)), "/console/account")
	c.wantConnected(true)
	for _, b := range []*browser{c.browser, elsewhere} { // a further way to sign in ends no session
		b.wantStatus(b.get("/account/key"), http.StatusOK)
	}
	again := c.world.browser()
	wantRedirect(t, c.provider.signIn(again), "/console")
	again.wantSignedIn(c.user.ID)
	if got := c.trail(c.user); !slices.Contains(got, "ada identity-linked") {
		t.Errorf("trail: got %q, want the connection in it", got)
	}
	// To connect the same identity again changes nothing.
	wantRedirect(t, c.get(c.start(c.browser)), "/console/account")
	c.wantConnected(true)
}

func TestConnect_refuses_a_forged_return(t *testing.T) {
	t.Parallel()
	for _, row := range forgedReturns() {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := newConnecting(t)
			b, path := row.back(c, c.start(c.browser))
			b.wantStatus(b.get(path), row.want)
			c.wantConnected(false)
		})
	}
}

// forgedReturn is a return from the provider that must not connect the identity.
type forgedReturn struct {
	name string
	// back is what happens between the start and the return. It returns the browser that returns, and
	// the path.
	back func(c connecting, path string) (*browser, string)
	want int
}

func forgedReturns() []forgedReturn {
	return []forgedReturn{
		{"another_state", func(c connecting, path string) (*browser, string) {
			return c.browser, strings.Replace(path, "state=", "state=x", 1)
		}, http.StatusBadRequest},
		{"no_code", func(c connecting, path string) (*browser, string) {
			return c.browser, strings.Replace(path, "code=", "error=", 1)
		}, http.StatusUnprocessableEntity},
		{"another_code", func(c connecting, path string) (*browser, string) {
			return c.browser, strings.Replace(path, "code=", "code=x", 1)
		}, http.StatusBadGateway},
		{"no_session", func(c connecting, path string) (*browser, string) {
			return c.world.browser(), path
		}, http.StatusBadRequest},
		{"another_session_of_the_account", func(c connecting, path string) (*browser, string) {
			b := c.world.browser()
			b.signIn(c.user.Email)
			return b, path
		}, http.StatusBadRequest},
		{"the_session_of_another_account", func(c connecting, path string) (*browser, string) {
			b := c.world.browser()
			b.signIn(c.addUser("eve@example.com").Email)
			return b, path
		}, http.StatusBadRequest},
		{"signed_out_meanwhile", func(c connecting, path string) (*browser, string) {
			c.post("/logout", url.Values{})
			return c.browser, path
		}, http.StatusBadRequest},
		{"signed_in_to_another_account_meanwhile", func(c connecting, path string) (*browser, string) {
			c.post("/logout", url.Values{})
			c.signIn(c.addUser("eve@example.com").Email)
			return c.browser, path
		}, http.StatusBadRequest},
		{"signed_out_by_a_new_password_meanwhile", func(c connecting, path string) (*browser, string) {
			check(c.t, c.db.Accounts().SetPassword(c.t.Context(), c.user.ID, ""))
			return c.browser, path
		}, http.StatusFound}, // to the sign-in page
		{"a_start_that_was_replaced", func(c connecting, path string) (*browser, string) {
			c.start(c.browser)
			return c.browser, path
		}, http.StatusBadRequest},
		{"too_late", func(c connecting, path string) (*browser, string) {
			c.site.now = func() time.Time { return time.Now().Add(externalTimeout + time.Minute) }
			return c.browser, path
		}, http.StatusBadRequest},
	}
}

func TestConnect_return_works_once(t *testing.T) {
	t.Parallel()
	c := newConnecting(t)
	back := c.start(c.browser)
	wantRedirect(t, c.get(back), "/console/account")
	check(t, c.db.SignIns().RemoveIdentity(t.Context(), c.user.ID, c.URL()))
	c.wantStatus(c.get(back), http.StatusBadRequest)
	c.wantConnected(false)
}

func TestConnect_refuses_identities_of_others(t *testing.T) {
	t.Parallel()
	c := newConnecting(t)
	eve := c.addUser("eve@example.com")
	check(t, c.db.SignIns().AddIdentity(t.Context(), c.URL(), "eve at work", eve.ID))
	c.Claims = map[string]any{"sub": "eve at work", "email": "ada@example.com", "email_verified": true}
	wantText(t, c.wantStatus(c.get(c.start(c.browser)), http.StatusForbidden), "This sign-in is connected to another account")
	c.wantConnected(false)
	c.Claims = map[string]any{"sub": "first"}
	wantRedirect(t, c.get(c.start(c.browser)), "/console/account")
	c.Claims = map[string]any{"sub": "second"}
	wantText(t, c.wantStatus(c.get(c.start(c.browser)), http.StatusForbidden), "This account is already connected to another sign-in of the same provider")
}

// Somebody who signed up with another person's address, and connected an identity, keeps neither
// when the owner of the address signs in.
func TestConnect_does_not_keep_the_owner_of_the_address_out(t *testing.T) {
	t.Parallel()
	c := newConnecting(t)
	check(t, c.db.SignIns().MarkEmailUnproven(t.Context(), c.user.ID))
	wantRedirect(t, c.get(c.start(c.browser)), "/console/account")
	c.Claims = map[string]any{"sub": "the owner", "email": c.user.Email, "email_verified": true}
	owner := c.world.browser()
	wantRedirect(t, c.provider.signIn(owner), "/console")
	owner.wantSignedIn(c.user.ID)
	wantRedirect(t, c.get("/account/key"), "/login?next=%2Faccount%2Fkey")
	if _, err := c.db.SignIns().UserByIdentity(t.Context(), c.URL(), "ada at work"); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("the other person's identity: got %v, want none", err)
	}
}

func TestConnect_needs_a_provider_that_answers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	b := w.browser()
	b.signIn(w.addUser("ada@example.com").Email)
	if _, err := w.site.StartIdentity(t.Context(), b.caller()); model.CodeOf(err) != model.CodeForbidden {
		t.Errorf("no provider: got %v, want %s", err, model.CodeForbidden)
	}
	c := newConnecting(t)
	c.SetDown(true)
	if _, err := c.site.StartIdentity(t.Context(), c.caller()); model.CodeOf(err) != model.CodeConflict {
		t.Errorf("a provider that is down: got %v, want %s", err, model.CodeConflict)
	}
}
