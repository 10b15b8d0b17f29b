package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"portico/db"
	"portico/model"
)

// trail returns the types of all events, with their accounts' names, oldest first.
func (w *world) trail(users ...*model.User) (events []string) {
	w.t.Helper()
	found, err := w.db.Audit().AuditTrail(w.t.Context(), db.AuditFilter{}, 1000)
	check(w.t, err)
	names := map[string]string{"": "nobody"}
	for _, user := range users {
		names[user.ID], _, _ = strings.Cut(user.Email, "@")
	}
	for _, event := range found {
		events = append(events, names[event.UserID]+" "+string(event.Type))
	}
	return events
}

func TestTrail_of_signing_in(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ada := w.addUser("ada@example.com")
	b := w.browser()
	try := func(email, secret string) {
		b.wantStatus(b.post("/login", url.Values{"email": {email}, "password": {secret}}), http.StatusUnprocessableEntity)
	}
	try("Ada@Example.com", "wrong horse")
	try("ada@example.com", "short") // which is too short for a password
	try("nobody@example.com", "wrong horse")
	try("my secret password", "wrong horse")
	wantRedirect(t, b.signIn("ada@example.com"), "/console")
	want := []string{
		"ada account-created", "ada sign-in-failed", "ada sign-in-failed", "nobody sign-in-failed", "nobody sign-in-failed", "ada signed-in",
	}
	if got := w.trail(ada); !slices.Equal(got, want) {
		t.Errorf("trail:\ngot  %q\nwant %q", got, want)
	}
	found, err := w.db.Audit().AuditTrail(t.Context(), db.AuditFilter{}, 1000)
	check(t, err)
	for _, event := range found[1:] {
		if event.Method != model.ByPassword || event.Subject+event.Detail() != "" {
			t.Errorf("event: got %+v, want the method alone, and nothing that was typed", event)
		}
	}
}

func TestTrail_of_signing_up(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.addUser("operator@example.com")
	b := w.browser()
	form := url.Values{"email": {"eve@example.com"}, "name": {"Eve"}, "password": {password}}
	wantRedirect(t, b.post("/signup", form), "/console")
	b = w.browser()
	b.wantStatus(b.post("/signup", form), http.StatusUnprocessableEntity) // taken, so nothing is made
	eve, err := w.db.Accounts().UserByEmail(t.Context(), "eve@example.com")
	check(t, err)
	if got, want := w.trail(eve), []string{" account-created", "eve account-created", "eve signed-in"}; !slices.Equal(got, want) {
		t.Errorf("trail: got %q, want %q", got, want)
	}
}

func TestTrail_of_the_key_and_the_password(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ada := w.addUser("ada@example.com")
	b := w.browser()
	b.signIn("ada@example.com")
	before := len(w.trail(ada))
	b.get("/account/key") // there is none to show
	change := func(action string) { b.post("/account/key", url.Values{"action": {action}}) }
	change("generate")
	b.wantStatus(b.get("/account/key"), http.StatusOK)
	change("generate")
	change("revoke")
	change("revoke")
	check(t, w.db.Accounts().SetPassword(t.Context(), ada.ID, "another hash"))
	want := []string{
		"ada key-created", "ada key-shown", "ada key-revoked", "ada key-created", "ada key-revoked", "ada password-changed",
	}
	if got := w.trail(ada)[before:]; !slices.Equal(got, want) {
		t.Errorf("trail:\ngot  %q\nwant %q", got, want)
	}
}
