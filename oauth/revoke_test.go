package oauth

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"portico/model"
)

func TestRevoke(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client := w.register(callback)
	for _, row := range []struct {
		name   string
		form   func(key string) url.Values
		status int
		want   string
		ends   bool
	}{
		{"the_key", func(key string) url.Values { return url.Values{"token": {key}, "client_id": {client}} }, 200, "", true},
		{"with_a_hint", func(key string) url.Values {
			return url.Values{"token": {key}, "client_id": {client}, "token_type_hint": {"refresh_token"}}
		}, 200, "", true},
		{"without_client", func(key string) url.Values { return url.Values{"token": {key}} }, 200, "", true},
		{"unknown_token", func(string) url.Values { return url.Values{"token": {"portico_x"}, "client_id": {client}} }, 200, "", false},
		{"hostile_token", func(string) url.Values { return url.Values{"token": {"portico_\x00\xff"}, "client_id": {client}} }, 200, "", false},
		{"no_token", func(string) url.Values { return url.Values{"client_id": {client}} }, 400, "invalid_request", false},
		{"unknown_client", func(key string) url.Values { return url.Values{"token": {key}, "client_id": {model.Token()}} }, 401, "invalid_client", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			key, err := w.keys.EnsureKey(t.Context(), w.user.ID)
			check(t, err)
			got := w.form("/revoke", row.form(key))
			if row.want != "" {
				w.wantError(got, row.status, row.want)
			} else if got.status != row.status {
				t.Errorf("status: got %d %s, want %d", got.status, got.body, row.status)
			}
			_, err = w.keys.Caller(t.Context(), key)
			if ended := model.CodeOf(err) == model.CodeUnauthenticated; ended != row.ends {
				t.Errorf("key ended: got %v (%v), want %v", ended, err, row.ends)
			}
		})
	}
}

func TestRevoke_ends_subscriptions_and_lets_a_new_grant_bring_a_new_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client := w.register(callback)
	old, _ := w.form("/token", exchange(client, w.code(client))).document["access_token"].(string)
	caller, err := w.keys.Caller(t.Context(), old)
	check(t, err)
	watched, stop := w.keys.Watch(t.Context(), caller.KeyID)
	defer stop()
	for range 2 { // the second time it is unknown
		if got := w.form("/api/revoke", url.Values{"token": {old}, "client_id": {client}}); got.status != http.StatusOK {
			t.Fatalf("revoke: got %d %s, want 200", got.status, got.body)
		}
	}
	<-watched.Done()
	if got := model.CodeOf(context.Cause(watched)); got != model.CodeUnauthenticated {
		t.Errorf("cause: got %q, want %q", got, model.CodeUnauthenticated)
	}
	if got, want := w.location(w.authorize(askingFor(client))).Path, "/login"; got != want {
		t.Errorf("session from before: got sent to %q, want %q", got, want)
	}
	w.signIn()
	made := w.form("/token", exchange(client, w.code(client))).document["access_token"]
	if made == nil || made == old {
		t.Errorf("key of a new grant: got %v, want another than %v", made, old)
	}
}
