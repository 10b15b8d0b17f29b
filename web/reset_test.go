package web

import (
	"crypto/sha256"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/db"
	"portico/model"
)

func sendsMail(o *worldOptions) { o.accounts.SendsMail = true }

// hashOfLink returns the hash under which a worker stores the token of a link.
func hashOfLink(token string) []byte {
	hash := sha256.Sum256([]byte(token))
	return hash[:]
}

// addLink stores a link as a worker does that sends it.
func (w *world) addLink(token string, user *model.User, purpose model.MailKind, email string, valid time.Duration) {
	w.t.Helper()
	added, err := w.db.SignIns().AddMailedLink(w.t.Context(), db.MailedLink{
		Hash: hashOfLink(token), UserID: user.ID, Purpose: purpose, Email: email, ValidFor: valid,
	})
	check(w.t, err)
	if !added {
		w.t.Fatalf("link %s: got none", token)
	}
	check(w.t, w.db.SignIns().EndEarlierLinks(w.t.Context(), hashOfLink(token)))
}

// The response is the same for every address, with or without an account.
func TestForgot_shows_nothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sendsMail)
	w.addUser("ada@example.com")
	b := w.browser()
	wantText(t, b.get("/login"), `href="/login/forgot"`)
	var first string
	for range 7 { // over the limit of mail to one address
		for _, email := range []string{"ada@example.com", "nobody@example.com"} {
			got := b.wantStatus(b.post("/login/forgot", url.Values{"email": {email}}), http.StatusOK)
			if first == "" {
				first = got.body
			}
			if got.body != first {
				t.Errorf("%s: got another page:\n%s", email, got.body)
			}
		}
	}
	if lifetime := "The link works for an hour."; model.ResetLifetime != time.Hour || !strings.Contains(first, lifetime) {
		t.Errorf("page: got\n%s\nwant the lifetime of the link, %v", first, model.ResetLifetime)
	}
	b.wantStatus(b.post("/login/forgot", url.Values{"email": {"my secret"}}), http.StatusUnprocessableEntity)
	for range 5 {
		b.post("/login/forgot", url.Values{"email": {"nobody@example.com"}})
	}
	got := b.wantStatus(b.post("/login/forgot", url.Values{"email": {"third@example.com"}}), http.StatusTooManyRequests)
	if got.header.Get("Retry-After") == "" {
		t.Error("too many: got no Retry-After")
	}
}

// A link sets the password of the account whose address it was sent to, while it has that
// address. Somebody who signed up with another person's address loses the account.
func TestReset_is_for_the_owner_of_the_address(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sendsMail)
	ada := w.addUser("ada@example.com")
	b := w.browser()
	try := func(token string, want int) {
		t.Helper()
		b.wantStatus(b.post("/login/reset?token="+token, url.Values{"password": {"a better horse"}}), want)
	}
	w.addLink("expired", ada, model.MailReset, ada.Email, -time.Second)
	try("expired", http.StatusNotFound)
	w.addLink("confirms", ada, model.MailConfirm, ada.Email, time.Hour)
	try("confirms", http.StatusNotFound)
	w.addLink("elsewhere", ada, model.MailReset, "former@example.com", time.Hour)
	try("elsewhere", http.StatusNotFound)
	wantRedirect(t, b.signIn(ada.Email), "/console")

	check(t, w.db.SignIns().MarkEmailUnproven(t.Context(), ada.ID))
	check(t, w.db.SignIns().AddIdentity(t.Context(), "https://provider.example", "thief", ada.ID))
	w.addLink("good", ada, model.MailReset, ada.Email, time.Hour)
	try("good", http.StatusOK)
	try("good", http.StatusNotFound)
	wantRedirect(t, b.get("/account/key"), "/login?next=%2Faccount%2Fkey")
	if _, err := w.db.SignIns().UserByIdentity(t.Context(), "https://provider.example", "thief"); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("identity: got %v, want none", err)
	}
	if confirmed, err := w.db.SignIns().EmailConfirmed(t.Context(), ada.ID); err != nil || !confirmed {
		t.Errorf("confirmed: got %v, %v, want true", confirmed, err)
	}
	b.wantStatus(b.signIn(ada.Email), http.StatusUnprocessableEntity)
	wantRedirect(t, b.post("/login", url.Values{"email": {ada.Email}, "password": {"a better horse"}}), "/console")

	// An account gets five links per hour, and the worker has sent these.
	w.addLink("fourth", ada, model.MailReset, ada.Email, time.Hour)
	w.addLink("fifth", ada, model.MailReset, ada.Email, time.Hour)
	added, err := w.db.SignIns().AddMailedLink(t.Context(), db.MailedLink{
		Hash: hashOfLink("sixth"), UserID: ada.ID, Purpose: model.MailReset, Email: ada.Email, ValidFor: time.Hour,
	})
	if err != nil || added {
		t.Errorf("sixth link: got %v, %v, want none", added, err)
	}
	try("fourth", http.StatusNotFound)
	try("fifth", http.StatusOK)
}
