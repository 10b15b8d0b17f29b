package oauth

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"portico/model"
)

// trail returns what is recorded about the account, oldest first, from signing in on.
func (w *world) trail() (events []string) {
	w.t.Helper()
	page, err := w.db.Audit().SecurityEvents(w.t.Context(), w.user.ID, model.Page{Limit: 200})
	check(w.t, err)
	for _, event := range slices.Backward(page.Nodes) {
		events = append(events, strings.Join([]string{string(event.Type), event.Subject, event.Detail()}, "|"))
	}
	if len(events) < 2 || events[1] != "signed-in||" {
		w.t.Fatalf("trail: got %q, want it to begin with the account and signing in", events)
	}
	return events[2:]
}

func TestTrail_of_a_program_that_gets_the_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client := w.register(callback)
	w.decide(w.authorize(askingFor(client)), "deny")
	code := w.code(client)
	wrong := exchange(client, "x")
	w.wantError(w.form("/token", wrong), http.StatusBadRequest, "invalid_grant")
	got := w.form("/token", exchange(client, code))
	if got.status != http.StatusOK {
		t.Fatalf("token: got %d %s, want 200", got.status, got.body)
	}
	w.wantError(w.form("/token", exchange(client, code)), http.StatusBadRequest, "invalid_grant")
	key, _ := got.document["access_token"].(string)
	caller, err := w.keys.Caller(t.Context(), key)
	check(t, err)
	for range 2 {
		w.form("/revoke", url.Values{"token": {key}})
	}
	to, err := url.Parse(callback)
	check(t, err)
	want := []string{
		"consent-given|" + client + "|Uploader at " + to.Host,
		"key-created|" + caller.KeyID + "|",
		"code-redeemed|" + client + "|Uploader",
		"key-revoked|" + caller.KeyID + "|",
	}
	events := w.trail()
	if !slices.Equal(events, want) {
		t.Errorf("trail:\ngot  %q\nwant %q", events, want)
	}
	if all := strings.Join(events, " "); strings.Contains(all, key) || strings.Contains(all, code) {
		t.Errorf("trail: got %q, want neither the key nor the code in it", all)
	}
}
