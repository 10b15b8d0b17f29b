package web

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"portico/model"
)

const firstCode = "the code of the first account"

// withCode makes the first account need the code.
func withCode(o *worldOptions) { o.accounts.FirstCode = firstCode }

func firstForm(email, code string) url.Values {
	return url.Values{"email": {email}, "name": {"Ada"}, "password": {password}, "code": {code}}
}

func TestWelcome_creates_the_first_account_with_the_code(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *worldOptions) { withCode(o); o.accounts.Signup = false })
	b := w.browser()
	link, err := w.site.FirstAccountLink(t.Context())
	check(t, err)
	if want := w.server.URL + "/welcome#" + firstCode; link != want {
		t.Errorf("link: got %q, want %q", link, want)
	}
	wantText(t, b.get("/welcome"), `name="code"`)
	for _, wrong := range []string{"", "x", firstCode + "x", strings.ToUpper(firstCode)} {
		got := b.wantStatus(b.post("/welcome", firstForm("ada@example.com", wrong)), http.StatusForbidden)
		wantText(t, got, "This is not the code that the server printed")
	}
	bad := b.wantStatus(b.post("/welcome", firstForm("ada", firstCode)), http.StatusUnprocessableEntity)
	wantText(t, bad, "Enter an e-mail address")
	wantText(t, bad, `value="`+firstCode+`"`)
	wantRedirect(t, b.post("/welcome", firstForm("ada@example.com", firstCode)), "/console")
	b.wantStatus(b.get("/account/key"), http.StatusOK) // signed in
	if link, err := w.site.FirstAccountLink(t.Context()); err != nil || link != "" {
		t.Errorf("link afterwards: got %q, %v, want none", link, err)
	}
	stranger := w.browser()
	wantRedirect(t, stranger.get("/welcome"), "/login")
	wantRedirect(t, stranger.post("/welcome", firstForm("eve@example.com", firstCode)), "/login")
	if _, err := w.db.Accounts().UserByEmail(t.Context(), "eve@example.com"); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("second account by the code: got %v, want none", err)
	}
}

func TestWelcome_needs_no_code_if_none_is_configured(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	b := w.browser()
	if got := b.get("/welcome"); strings.Contains(got.body, `name="code"`) {
		t.Errorf("page: got a field for a code in\n%s", got.body)
	}
	wantRedirect(t, b.post("/welcome", firstForm("ada@example.com", "")), "/console")
}

// While a server waits for its first account, sign-up does not make it without the code.
func TestSignUp_leaves_the_first_account_to_who_has_the_code(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withCode)
	b := w.browser()
	wantRedirect(t, b.get("/signup"), "/welcome")
	wantRedirect(t, b.post("/signup", firstForm("eve@example.com", "")), "/welcome")
	if some, err := w.db.Accounts().HasUsers(t.Context()); err != nil || some {
		t.Fatalf("accounts: got some %t, %v, want none", some, err)
	}
	w.addUser("ada@example.com")
	b.wantStatus(b.get("/signup"), http.StatusOK)
	wantRedirect(t, b.post("/signup", firstForm("grace@example.com", "")), "/console")
}

// Of people who send the form at the same time, one gets the first account.
func TestWelcome_creates_one_account_for_requests_at_the_same_time(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withCode)
	var all sync.WaitGroup
	targets := make([]string, 4)
	for i := range targets {
		all.Go(func() {
			form := firstForm(string(rune('a'+i))+"@example.com", firstCode)
			targets[i] = w.browser().post("/welcome", form).location()
		})
	}
	all.Wait()
	first := 0
	for _, target := range targets {
		switch target {
		case "/console":
			first++
		case "/login":
		default:
			t.Errorf("got a redirect to %q", target)
		}
	}
	users, err := w.db.Accounts().Users(t.Context(), "", 10)
	check(t, err)
	if first != 1 || len(users) != 1 {
		t.Errorf("got %d who are first and %d accounts, want one of each", first, len(users))
	}
}
