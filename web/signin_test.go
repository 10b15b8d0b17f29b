package web

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/auth"
	"portico/internal/counter"
	"portico/model"
)

// A program that signs in for each request hashes a password and stores a session each time. The
// owner who signs in to another account, or from another place, is not locked out before.
func TestSignIn_is_limited_for_each_account(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.addUser("ada@example.com")
	w.addUser("eve@example.com")
	w.site.limits.sessionsByAccount = counter.NewAttempts(3, attemptWindow)
	w.site.limits.byAddress = counter.NewAttempts(5, attemptWindow)
	for range 3 {
		wantRedirect(t, w.browser().signIn("ada@example.com"), "/console")
	}
	for range 4 { // each takes as long as a wrong password, and counts as one
		got := w.browser().signIn("ada@example.com")
		w.browser().wantStatus(got, http.StatusTooManyRequests)
		if got.header.Get("Retry-After") == "" {
			t.Error("got no Retry-After, want the rest of the window")
		}
	}
	wantRedirect(t, w.browser().signIn("eve@example.com"), "/console")
	w.browser().wantStatus(w.browser().signIn("ada@example.com"), http.StatusTooManyRequests)
	w.browser().wantStatus(w.browser().signIn("eve@example.com"), http.StatusTooManyRequests) // the address
}

func TestSignIn_opens_the_account_until_the_person_signs_out(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	b := w.browser()
	wantRedirect(t, b.get("/account/key"), "/login?next=%2Faccount%2Fkey")
	b.wantStatus(b.get("/login"), http.StatusOK)
	wantRedirect(t, b.signIn(" Ada@Example.COM "), "/console")
	b.wantSignedIn(user.ID)
	wantRedirect(t, b.get("/login?next=%2Fauthorize%3Fa%3Db"), "/authorize?a=b")
	wantRedirect(t, b.post("/logout", url.Values{}), "/login")
	wantRedirect(t, b.get("/account/key"), "/login?next=%2Faccount%2Fkey")
}

// The response is the same whether the account exists or not.
func TestSignIn_refuses_alike(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.addUser("ada@example.com")
	external := w.addUser("external@example.com")
	check(t, w.db.Accounts().SetPassword(t.Context(), external.ID, ""))
	var first string
	for _, row := range []struct{ name, email, password string }{
		{"wrong_password", "ada@example.com", "wrong password"},
		{"no_password", "ada@example.com", ""},
		{"no_such_account", "eve@example.com", password},
		{"account_without_password", "external@example.com", password},
		{"account_without_password_and_none_given", "external@example.com", ""},
		{"no_address", "ada", password},
		{"nothing", "", ""},
		{"NUL", "ada@example.com\x00", password},
		{"not_UTF-8", "\xff@example.com", password},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := w.browser()
			got := b.wantStatus(b.post("/login", url.Values{"email": {row.email}, "password": {row.password}}), http.StatusUnprocessableEntity)
			wantText(t, got, `role="alert" id="problem">`+wrongCredentials)
			if b.cookie() != "" {
				t.Error("cookie: got one, want none")
			}
			_, body, _ := strings.Cut(got.body, `autofocus`) // the address that was typed comes before
			if first == "" {
				first = body
			}
			if body != first {
				t.Errorf("page: got %s, want the same as for a wrong password: %s", body, first)
			}
			if row.password != "" && strings.Contains(got.body, row.password) {
				t.Error("page: got the password in it, want it left out")
			}
		})
	}
}

func TestSignIn_is_limited(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		email func(i int) string
		tries int
	}{
		{"by_account", func(int) string { return "ada@example.com" }, 3},
		{"by_an_account_that_is_not_there", func(int) string { return "eve@example.com" }, 3},
		{"by_account_in_any_case", func(i int) string { return []string{"ada@example.com", "ADA@example.com"}[i%2] }, 3},
		{"by_address", func(i int) string { return strings.Repeat("x", i+1) + "@example.com" }, 5},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.site.limits.byAddress = counter.NewAttempts(5, attemptWindow)
			w.site.limits.byAccountAndAddress = counter.NewAttempts(3, attemptWindow)
			w.addUser("ada@example.com")
			b := w.browser()
			for i := range row.tries {
				b.wantStatus(b.post("/login", url.Values{"email": {row.email(i)}, "password": {"wrong password"}}), http.StatusUnprocessableEntity)
			}
			got := b.wantStatus(b.signIn(row.email(row.tries)), http.StatusTooManyRequests)
			if got.header.Get("Retry-After") == "" {
				t.Error("Retry-After: got none, want one")
			}
			wantText(t, got, "Too many attempts. Try again in 15 minutes")
		})
	}
}

// Failed attempts from one address do not stop the owner at another address.
func TestSignIn_limits_the_guesser_and_not_the_owner(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *worldOptions) { o.ClientOf = clientOf(newLimiter(t)) })
	w.addUser("ada@example.com")
	attempt := func(from, password string) response {
		header := http.Header{"X-Forwarded-For": {from}, "Origin": {w.server.URL}}
		return w.browser().send(http.MethodPost, "/login", url.Values{"email": {"ada@example.com"}, "password": {password}}, header)
	}
	for range 10 {
		w.browser().wantStatus(attempt("192.0.2.1", "wrong password"), http.StatusUnprocessableEntity)
	}
	w.browser().wantStatus(attempt("192.0.2.1", password), http.StatusTooManyRequests)
	wantRedirect(t, attempt("192.0.2.2", password), "/console")
	w.browser().wantStatus(attempt("192.0.2.1", password), http.StatusTooManyRequests)
}

// A program with an old password repeats it without end. Others share its address.
func TestSignIn_counts_no_refused_attempt_for_the_address(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.site.limits.byAddress = counter.NewAttempts(5, attemptWindow)
	w.site.limits.byAccountAndAddress = counter.NewAttempts(3, attemptWindow)
	w.addUser("ada@example.com")
	b := w.browser()
	for i := range 9 {
		want := http.StatusUnprocessableEntity
		if i >= 3 {
			want = http.StatusTooManyRequests
		}
		b.wantStatus(b.post("/login", url.Values{"email": {"old@example.com"}, "password": {"an old password"}}), want)
	}
	wantRedirect(t, b.signIn("ada@example.com"), "/console")
}

func TestSignIn_by_the_owner_is_not_counted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.addUser("ada@example.com")
	for range 12 {
		wantRedirect(t, w.browser().signIn("ada@example.com"), "/console")
	}
}

func TestSession_cookie(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		base, name string
		secure     bool
	}{
		{"http://portico.example", "portico_session", false},
		{"https://portico.example", "__Host-portico_session", true},
	} {
		t.Run(row.base, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *worldOptions) { o.BaseURL = row.base })
			w.addUser("ada@example.com")
			got := w.browser().signIn("ada@example.com")
			cookie, err := http.ParseSetCookie(got.header.Get("Set-Cookie"))
			check(t, err)
			if cookie.Name != row.name || cookie.Secure != row.secure || !cookie.HttpOnly ||
				cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" {
				t.Errorf("cookie: got %v, want %s, HttpOnly, SameSite=Lax, Path=/, Secure=%v", cookie, row.name, row.secure)
			}
			if _, there, err := w.db.SignIns().Session(t.Context(), cookie.Value); err != nil || there {
				t.Errorf("stored token: got the cookie's (%v), want its hash", err)
			}
		})
	}
}

// A session that was put into the browser before is worth nothing afterwards.
func TestSession_is_a_new_one_after_sign_in(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *worldOptions) { o.OIDC = newProvider(t).options() })
	w.addUser("ada@example.com")
	attacker, victim := w.browser(), w.browser()
	attacker.get("/login/external")
	planted := attacker.cookie()
	if planted == "" {
		t.Fatal("cookie before the sign-in: got none, want one")
	}
	u, err := url.Parse(w.server.URL)
	check(t, err)
	victim.client.Jar.SetCookies(u, []*http.Cookie{{Name: "portico_session", Value: planted, Path: "/"}})
	wantRedirect(t, victim.signIn("ada@example.com"), "/console")
	if victim.cookie() == planted {
		t.Error("cookie after the sign-in: got the planted one, want another")
	}
	wantRedirect(t, attacker.get("/account/key"), "/login?next=%2Faccount%2Fkey")
	invented := w.browser()
	invented.client.Jar.SetCookies(u, []*http.Cookie{{Name: "portico_session", Value: "invented", Path: "/"}})
	wantRedirect(t, invented.signIn("ada@example.com"), "/console")
	if invented.cookie() == "invented" {
		t.Error("cookie after the sign-in: got the invented one, want another")
	}
}

func TestSession_ends(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	t.Run("for_a_copy_of_the_cookie_after_sign_out", func(t *testing.T) {
		b, thief := w.browser(), w.browser()
		b.signIn("ada@example.com")
		u, err := url.Parse(w.server.URL)
		check(t, err)
		thief.client.Jar.SetCookies(u, b.client.Jar.Cookies(u))
		thief.wantStatus(thief.get("/account/key"), http.StatusOK)
		b.post("/logout", url.Values{})
		wantRedirect(t, thief.get("/account/key"), "/login?next=%2Faccount%2Fkey")
	})
	t.Run("with_a_new_password", func(t *testing.T) {
		b := w.browser()
		b.signIn("ada@example.com")
		b.wantStatus(b.get("/account/key"), http.StatusOK)
		hash, err := auth.NewPasswords().Hash(t.Context(), "another password")
		check(t, err)
		check(t, w.db.Accounts().SetPassword(t.Context(), user.ID, hash))
		wantRedirect(t, b.get("/account/key"), "/login?next=%2Faccount%2Fkey")
	})
	t.Run("with_the_same_password_set_again", func(t *testing.T) {
		user := w.addUser("eve@example.com")
		b := w.browser()
		b.signIn("eve@example.com")
		check(t, w.db.Accounts().SetPassword(t.Context(), user.ID, user.PasswordHash))
		wantRedirect(t, b.get("/account/key"), "/login?next=%2Faccount%2Fkey")
	})
	t.Run("with_the_key_everywhere_but_here", func(t *testing.T) {
		w.addUser("kate@example.com")
		b, other := w.browser(), w.browser()
		b.signIn("kate@example.com")
		other.signIn("kate@example.com")
		wantRedirect(t, b.post("/account/key", url.Values{"action": {"revoke"}}), "/account/key")
		b.wantStatus(b.get("/account/key"), http.StatusOK)
		wantRedirect(t, other.get("/account/key"), "/login?next=%2Faccount%2Fkey")
	})
}

// A thief may send a form slowly: the server checks the session after the form has arrived.
func TestSession_that_ends_while_a_form_arrives_does_nothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	b := w.browser()
	b.signIn("ada@example.com")
	address, err := url.Parse(w.server.URL)
	check(t, err)
	conn, err := net.Dial("tcp", address.Host)
	check(t, err)
	defer conn.Close()
	body := "action=generate"
	fmt.Fprintf(conn, "POST /account/key HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nCookie: portico_session=%s\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		address.Host, w.server.URL, b.cookie(), len(body))
	responses := bufio.NewReader(conn)
	line, err := responses.ReadString('\n') // the server waits for the form now
	check(t, err)
	if !strings.HasPrefix(line, "HTTP/1.1 100") {
		t.Fatalf("response to the headers: got %q, want 100", line)
	}
	b.post("/logout", url.Values{})
	_, err = responses.ReadString('\n')
	check(t, err)
	_, err = conn.Write([]byte(body))
	check(t, err)
	response, err := http.ReadResponse(responses, nil)
	check(t, err)
	check(t, response.Body.Close())
	if got, want := response.Header.Get("Location"), "/login"; got != want {
		t.Errorf("sent to: got %q, want %q", got, want)
	}
	if _, err := w.keys.Show(t.Context(), user.ID); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("key: got %v, want none made", err)
	}
}

// Disabling an account ends its sessions, and nobody can sign in to it.
func TestSignIn_refuses_a_disabled_account(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user := w.addUser("ada@example.com")
	signedIn, late := w.browser(), w.browser()
	signedIn.signIn("ada@example.com")
	check(t, w.db.Accounts().DisableUser(t.Context(), user.ID, ""))
	wantRedirect(t, signedIn.get("/account/key"), "/login?next=%2Faccount%2Fkey")
	if got := late.signIn("ada@example.com"); got.status != http.StatusForbidden || !strings.Contains(got.body, "This account is disabled") {
		t.Errorf("sign in: got %d %q, want the reason", got.status, got.body)
	} else {
		wantText(t, got, `<a href="/login">Use another account</a>`)
	}
	late.get("/login?lang=de")
	wantText(t, late.signIn("ada@example.com"), "Dieses Konto ist gesperrt")
	check(t, w.db.Accounts().EnableUser(t.Context(), user.ID))
	wantRedirect(t, late.signIn("ada@example.com"), "/console")
}
