package console_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/testkit/mailbox"
	"portico/internal/testkit/world"
)

const (
	readAddress  = `{ viewer { email emailConfirmed receivesMail } }`
	changeEmail  = `mutation ($input: ChangeEmailInput!) { changeEmail(input: $input) { user { email } } }`
	confirmEmail = `mutation { sendEmailConfirmation { user { email } } }`
)

// wantAddress compares the address of the account, and whether it is confirmed.
func (p *person) wantAddress(want string) {
	p.t.Helper()
	data, refusal := p.ask(readAddress, nil)
	if got := mustJSON(p.t, data); refusal != "" || got != want {
		p.t.Errorf("address: got %s, %s, want %s", got, refusal, want)
	}
}

// visit opens an address of a mail, or sends its form, and returns the status.
func (p *person) visit(method, address string, form url.Values) int {
	p.t.Helper()
	path, ok := strings.CutPrefix(address, p.w.BaseURL())
	if !ok {
		p.t.Fatalf("link: got %s, want one of %s", address, p.w.BaseURL())
	}
	return send(p.t, p.w, p.client, method, path, form.Encode()).StatusCode
}

// awaitEnd waits until a link has ended. A worker ends earlier links right after it has sent a
// mail.
func (p *person) awaitEnd(link string) {
	p.t.Helper()
	deadline := time.After(time.Minute)
	for p.visit(http.MethodGet, link, nil) != http.StatusNotFound {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-deadline:
			p.t.Fatal("earlier link: still valid, want it ended by the newer one")
		}
	}
}

// forget asks for a new password, as a stranger does whose first language is none of ours, and whose second
// one is German.
func (p *person) forget(address string) int {
	p.t.Helper()
	form := strings.NewReader(url.Values{"email": {address}}.Encode())
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.w.BaseURL()+"/login/forgot", form)
	check(p.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept-Language", "it, de-AT;q=0.9, en;q=0.5")
	response, err := p.client.Do(r)
	check(p.t, err)
	check(p.t, response.Body.Close())
	return response.StatusCode
}

// The way of a person who signs up, moves to another address, and forgets the password.
func TestAccount_by_mail(t *testing.T) {
	t.Parallel()
	post := mailbox.Start(t)
	w := world.Start(t, "--smtp-url="+post.URL(), "--smtp-from=Portico <portico@example.com>")
	w.StartWorker(t)
	key := addAccount(t, w, email) // the first account, which makes sign-up open
	newcomer := newPerson(t, w, email, password)
	form := url.Values{"email": {"new@example.com"}, "name": {"New"}, "password": {password}}
	if got := newcomer.signOut().visit(http.MethodPost, w.BaseURL()+"/signup", form); got != http.StatusSeeOther {
		t.Fatalf("sign up: got %d", got)
	}
	ada, eve := newPerson(t, w, email, password), &person{t, w, &http.Client{}}
	confirmAddress(t, post, newcomer, ada)
	moveAddress(t, post, newcomer)
	resetPassword(t, post, eve, ada)
	if err := key.GraphQL(`{ viewer { id } }`, nil, nil); err == nil {
		t.Error("the API key: got a response, want a refusal")
	}
	newPerson(t, w, email, "a better horse")
	newcomer.wantAddress(`{"viewer":{"email":"moved@example.com","emailConfirmed":true,"receivesMail":true}}`)
}

// confirmAddress confirms the address of the newcomer, with the second of two links. ada is signed
// in to another account.
func confirmAddress(t *testing.T, post *mailbox.Server, newcomer, ada *person) {
	t.Helper()
	first := post.Next()
	if first.To != "new@example.com" || first.From != "portico@example.com" || first.Subject != "Confirm your e-mail address" {
		t.Errorf("first mail: got %+v", first)
	}
	newcomer.wantAddress(`{"viewer":{"email":"new@example.com","emailConfirmed":false,"receivesMail":true}}`)
	if _, refusal := newcomer.ask(confirmEmail, nil); refusal != "" {
		t.Fatalf("ask again: got %s", refusal)
	}
	second := post.Next()
	newcomer.awaitEnd(first.Link())
	for _, row := range []struct {
		name   string
		who    *person
		method string
		link   string
		want   int
	}{
		{"a link that was replaced", newcomer, "GET", first.Link(), http.StatusNotFound},
		{"a replaced link's form", newcomer, "POST", first.Link(), http.StatusNotFound},
		{"another account", ada, "POST", second.Link(), http.StatusForbidden},
		{"opening", newcomer, "GET", second.Link(), http.StatusOK},
		{"opening again", newcomer, "GET", second.Link(), http.StatusOK},
		{"confirming", newcomer, "POST", second.Link(), http.StatusOK},
		{"confirming again", newcomer, "POST", second.Link(), http.StatusNotFound},
	} {
		if got := row.who.visit(row.method, row.link, url.Values{}); got != row.want {
			t.Errorf("%s: got %d, want %d", row.name, got, row.want)
		}
	}
	newcomer.wantAddress(`{"viewer":{"email":"new@example.com","emailConfirmed":true,"receivesMail":true}}`)
}

// moveAddress changes the address of the newcomer. Another account's address is refused only behind
// the link, which its owner gets.
func moveAddress(t *testing.T, post *mailbox.Server, newcomer *person) {
	t.Helper()
	newcomer.refuses("no password", changeEmail, map[string]any{"email": "moved@example.com"}, "NEEDS_PROOF")
	newcomer.refuses("no address", changeEmail, map[string]any{"email": "moved", "password": password}, "INVALID")
	newcomer.refuses("another's address", changeEmail, map[string]any{"email": email, "password": password}, "")
	if got := newcomer.visit("POST", post.Next().Link(), url.Values{}); got != http.StatusBadRequest {
		t.Errorf("another's address: got %d, want 400", got)
	}
	newcomer.refuses("a new address", changeEmail, map[string]any{"email": "Moved@example.com", "password": password}, "")
	move := post.Next().Link()
	page, err := io.ReadAll(send(t, newcomer.w, newcomer.client, http.MethodGet, strings.TrimPrefix(move, newcomer.w.BaseURL()), "").Body)
	check(t, err)
	if want := "moved@example.com replaces new@example.com as the address of your account."; !strings.Contains(string(page), want) {
		t.Errorf("move: got %s\nwant %q in it", page, want)
	}
	if got := newcomer.visit("POST", move, url.Values{}); got != http.StatusOK {
		t.Errorf("move: got %d, want 200", got)
	}
	if notice := post.Next(); notice.To != "new@example.com" || notice.Link() != "" {
		t.Errorf("notice: got %+v, want one to the former address, without a link", notice)
	}
	newcomer.wantAddress(`{"viewer":{"email":"moved@example.com","emailConfirmed":true,"receivesMail":true}}`)
}

// resetPassword sets a new password of the account that ada is signed in to. The mail server
// is away at first.
func resetPassword(t *testing.T, post *mailbox.Server, eve, ada *person) {
	t.Helper()
	post.SetDown(true)
	for _, address := range []string{"nobody@example.com", email} {
		if got := eve.forget(address); got != http.StatusOK {
			t.Errorf("forgot the password of %s: got %d, want 200", address, got)
		}
	}
	post.SetDown(false)
	reset := post.Next()
	if reset.To != email || reset.Language != "de" || reset.Subject != "Ein neues Passwort setzen" {
		t.Errorf("mail: got %+v, want a German one to %s", reset, email)
	}
	short, long := url.Values{"password": {"short"}}, url.Values{"password": {"a better horse"}}
	confirms := strings.Replace(reset.Link(), "/login/reset", "/account/email", 1)
	for _, row := range []struct {
		name, method, link string
		form               url.Values
		want               int
	}{
		{"opening", "GET", reset.Link(), nil, http.StatusOK},
		{"a short password", "POST", reset.Link(), short, http.StatusUnprocessableEntity},
		{"another token", "POST", reset.Link() + "x", long, http.StatusNotFound},
		{"no token", "POST", ada.w.BaseURL() + "/login/reset", long, http.StatusNotFound},
		{"a new password", "POST", reset.Link(), long, http.StatusOK},
		{"the same link", "POST", reset.Link(), long, http.StatusNotFound},
		{"opening again", "GET", reset.Link(), nil, http.StatusNotFound},
	} {
		if got := eve.visit(row.method, row.link, row.form); got != row.want {
			t.Errorf("%s: got %d, want %d", row.name, got, row.want)
		}
	}
	ada.refuses("a session from before", readSessions, nil, "UNAUTHENTICATED")
	if got := ada.visit("POST", confirms, url.Values{}); got == http.StatusOK {
		t.Error("a link for a password confirms an address")
	}
}

// Without a mail server nothing of it is offered.
func TestAccount_without_mail(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	addAccount(t, w, email)
	ada := newPerson(t, w, email, password)
	ada.wantAddress(`{"viewer":{"email":"` + email + `","emailConfirmed":true,"receivesMail":false}}`)
	ada.refuses("change", changeEmail, map[string]any{"email": "moved@example.com", "password": password}, "FORBIDDEN")
	ada.refuses("confirm", confirmEmail, nil, "FORBIDDEN")
	for _, path := range []string{"/login/forgot", "/login/reset?token=x", "/account/email?token=x"} {
		if got := statusOf(t, w.BaseURL()+path); got != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, got)
		}
	}
}

// signOut signs the browser out, and returns it.
func (p *person) signOut() *person {
	p.t.Helper()
	p.visit(http.MethodPost, p.w.BaseURL()+"/logout", url.Values{})
	return p
}
