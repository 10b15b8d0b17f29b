package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/counter"
)

func TestSession_that_was_not_started_is_not_stored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, path := range []string{"/login", "/signup", "/account"} {
		if got := w.browser().get(path).header.Get("Set-Cookie"); got != "" {
			t.Errorf("%s: got the cookie %q, want none", path, got)
		}
	}
}

func TestSession_lasts_two_weeks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.addUser("ada@example.com")
	cookie, err := http.ParseSetCookie(w.browser().signIn("ada@example.com").header.Get("Set-Cookie"))
	check(t, err)
	if left := time.Until(cookie.Expires); left > SessionLifetime+time.Minute || left < SessionLifetime-time.Minute {
		t.Errorf("cookie expires in: got %v, want %v", left, SessionLifetime)
	}
}

// A sign-in at the provider that nobody finishes expires soon. The session after a finished sign-in
// lasts as long as any other.
func TestSession_on_the_way_to_the_provider_is_short(t *testing.T) {
	t.Parallel()
	w, p := newExternalWorld(t, true)
	p.Claims = map[string]any{"email": "ada@example.com", "email_verified": true}
	b := w.browser()
	started := b.get("/login/external")
	ended := b.get(p.Agree(started.location()))
	for _, row := range []struct {
		response response
		want     time.Duration
	}{{started, externalTimeout}, {ended, SessionLifetime}} {
		cookie, err := http.ParseSetCookie(row.response.header.Get("Set-Cookie"))
		check(t, err)
		if left := time.Until(cookie.Expires); left > row.want+time.Minute || left < row.want-time.Minute {
			t.Errorf("cookie expires in: got %v, want %v", left, row.want)
		}
	}
}

func TestExternal_continues_for_a_signed_in_user(t *testing.T) {
	t.Parallel()
	w, _ := newExternalWorld(t, true)
	w.addUser("ada@example.com")
	b := w.browser()
	b.signIn("ada@example.com")
	before := b.cookie()
	wantRedirect(t, b.get("/login/external?next=%2Faccount%2Fkey"), "/account/key")
	if b.cookie() != before {
		t.Error("cookie: got another, want the session untouched")
	}
}

func TestExternal_leads_to_our_own_pages_only(t *testing.T) {
	t.Parallel()
	w, p := newExternalWorld(t, true)
	p.Claims = map[string]any{"email": "ada@example.com", "email_verified": true}
	for _, next := range []string{"https://evil.example/", "//evil.example/", `/\evil.example/`} {
		b := w.browser()
		started := b.get("/login/external?" + url.Values{"next": {next}}.Encode())
		wantRedirect(t, b.get(p.Agree(started.location())), "/console")
	}
}

func TestExternal_is_limited(t *testing.T) {
	t.Parallel()
	w, _ := newExternalWorld(t, true)
	w.site.limits.externalByAddress = counter.NewAttempts(1, time.Minute)
	b := w.browser()
	b.wantStatus(b.get("/login/external"), http.StatusFound)
	got := b.wantStatus(b.get("/login/external"), http.StatusTooManyRequests)
	if got.header.Get("Retry-After") == "" {
		t.Error("Retry-After: got none, want one")
	}
}

// A user whose name cannot be stored can still sign in, and nothing of the address becomes the name.
func TestExternal_with_an_odd_name(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		strings.Repeat("x", 300): "", "a\u0000b": "ab", "": "", "\u202eAda": "Ada", "ada": "", "Ada@example.com": "",
	} {
		w, p := newExternalWorld(t, true)
		p.Claims = map[string]any{"email": "ada@example.com", "email_verified": true, "name": name}
		wantRedirect(t, p.signIn(w.browser()), "/console")
		user, err := w.db.Accounts().UserByEmail(t.Context(), "ada@example.com")
		check(t, err)
		if want := cmp.Or(want, "Member "+user.ID); user.Name != want {
			t.Errorf("name %q: got %q, want %q", name, user.Name, want)
		}
	}
}
