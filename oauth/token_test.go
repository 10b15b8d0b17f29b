package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/oauth2"

	"portico/model"
)

func TestToken_is_the_key_of_the_account(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key, err := w.keys.EnsureKey(t.Context(), w.user.ID)
	check(t, err)
	client := w.register(callback)
	query := askingFor(client)
	query.Set("scope", "read write")
	for range 2 {
		code := w.decide(w.authorize(query), "allow").Query().Get("code")
		got := w.form("/token", exchange(client, code))
		if got.status != http.StatusOK || got.document["access_token"] != key || got.document["token_type"] != "Bearer" ||
			got.document["scope"] != "read write" || len(got.document) != 3 {
			t.Errorf("response: got %d %s, want the key %s, Bearer and the scope alone", got.status, got.body, key)
		}
		if got.header.Get("Cache-Control") != "no-store" || got.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("headers: got %v, want no-store for any origin", got.header)
		}
	}
}

func TestToken_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client, other := w.register(callback), w.register(callback)
	for _, row := range []struct {
		name   string
		change func(url.Values)
		status int
		want   string
	}{
		{"unknown_code", func(f url.Values) { f.Set("code", "x") }, 400, "invalid_grant"},
		{"code_of_another_client", func(f url.Values) { f.Set("client_id", other) }, 400, "invalid_grant"},
		{"wrong_verifier", func(f url.Values) { f.Set("code_verifier", strings.Repeat("x", 64)) }, 400, "invalid_grant"},
		{"challenge_as_verifier", func(f url.Values) { f.Set("code_verifier", askingFor(client).Get("code_challenge")) }, 400, "invalid_grant"},
		{"no_verifier", func(f url.Values) { f.Del("code_verifier") }, 400, "invalid_request"},
		{"other_redirect", func(f url.Values) { f.Set("redirect_uri", "https://client.example/callback") }, 400, "invalid_grant"},
		{"no_redirect", func(f url.Values) { f.Del("redirect_uri") }, 400, "invalid_request"},
		{"no_code", func(f url.Values) { f.Del("code") }, 400, "invalid_request"},
		{"code_twice", func(f url.Values) { f.Add("code", "x") }, 400, "invalid_request"},
		{"no_client", func(f url.Values) { f.Del("client_id") }, 400, "invalid_request"},
		{"unknown_client", func(f url.Values) { f.Set("client_id", model.Token()) }, 401, "invalid_client"},
		{"hostile_client", func(f url.Values) { f.Set("client_id", "\x00'") }, 401, "invalid_client"},
		{"no_grant", func(f url.Values) { f.Del("grant_type") }, 400, "invalid_request"},
		{"password", func(f url.Values) { f.Set("grant_type", "password") }, 400, "unsupported_grant_type"},
		{"client_credentials", func(f url.Values) { f.Set("grant_type", "client_credentials") }, 400, "unsupported_grant_type"},
		{"refresh", func(f url.Values) { f.Set("grant_type", "refresh_token") }, 400, "unsupported_grant_type"},
		{"device", func(f url.Values) { f.Set("grant_type", "urn:ietf:params:oauth:grant-type:device_code") }, 400, "unsupported_grant_type"},
	} {
		t.Run(row.name, func(t *testing.T) {
			form := exchange(client, w.code(client))
			row.change(form)
			w.wantError(w.form("/token", form), row.status, row.want)
		})
	}
}

// The challenge fits each verifier, so that nothing but its form is wrong.
func TestToken_checks_the_form_of_the_verifier(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client := w.register(callback)
	for _, row := range []struct {
		name, verifier string
		want           int
	}{
		{"shortest", strings.Repeat("x", 43), http.StatusOK},
		{"longest", strings.Repeat("x", 128), http.StatusOK},
		{"all_characters", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~", http.StatusOK},
		{"too_short", strings.Repeat("x", 42), http.StatusBadRequest},
		{"one_character", "x", http.StatusBadRequest},
		{"too_long", strings.Repeat("x", 129), http.StatusBadRequest},
		{"other_characters", strings.Repeat("x", 43) + "/", http.StatusBadRequest},
	} {
		t.Run(row.name, func(t *testing.T) {
			query := askingFor(client)
			query.Set("code_challenge", oauth2.S256ChallengeFromVerifier(row.verifier))
			form := exchange(client, w.decide(w.authorize(query), "allow").Query().Get("code"))
			form.Set("code_verifier", row.verifier)
			got := w.form("/token", form)
			if row.want == http.StatusBadRequest {
				w.wantError(got, row.want, "invalid_request")
			} else if got.status != row.want {
				t.Errorf("response: got %d %s, want %d", got.status, got.body, row.want)
			}
		})
	}
}

func TestToken_takes_a_code_once(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client := w.register(callback)
	form := exchange(client, w.code(client))
	first := w.form("/token", form)
	if first.status != http.StatusOK {
		t.Fatalf("first: got %d %s, want 200", first.status, first.body)
	}
	w.wantError(w.form("/token", form), http.StatusBadRequest, "invalid_grant")
	// The key is the account's, not the code's: it stays valid.
	if _, err := w.keys.Caller(t.Context(), first.document["access_token"].(string)); err != nil {
		t.Errorf("key after the second exchange: got %v, want no error", err)
	}
}

func TestToken_spends_a_code_with_a_wrong_verifier(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client := w.register(callback)
	form := exchange(client, w.code(client))
	form.Set("code_verifier", strings.Repeat("x", 64))
	w.wantError(w.form("/token", form), http.StatusBadRequest, "invalid_grant")
	form.Set("code_verifier", verifier)
	w.wantError(w.form("/token", form), http.StatusBadRequest, "invalid_grant")
}

func TestToken_gives_one_of_many_exchanges_at_once(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client := w.register(callback)
	form := exchange(client, w.code(client))
	const attempts = 10
	statuses := make(chan int, attempts)
	var all sync.WaitGroup
	for range attempts {
		all.Go(func() { statuses <- w.form("/token", form).status })
	}
	all.Wait()
	close(statuses)
	count := map[int]int{}
	for status := range statuses {
		count[status]++
	}
	if count[http.StatusOK] != 1 || count[http.StatusBadRequest] != attempts-1 {
		t.Errorf("responses: got %v, want one 200 and %d times 400", count, attempts-1)
	}
}

func TestToken_refuses_an_expired_code(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client := w.register(callback)
	code := w.code(client)
	w.execute("UPDATE oauth_codes SET expires_at = expires_at - interval '60 seconds'")
	w.wantError(w.form("/token", exchange(client, code)), http.StatusBadRequest, "invalid_grant")
}

// A user who revokes the key does not expect a grant in progress to create a new one.
func TestToken_refuses_a_code_from_before_the_revocation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.keys.EnsureKey(t.Context(), w.user.ID)
	check(t, err)
	client := w.register(callback)
	code := w.code(client)
	check(t, w.keys.Revoke(t.Context(), w.user))
	w.wantError(w.form("/token", exchange(client, code)), http.StatusBadRequest, "invalid_grant")
}

// Somebody signs up with another person's address and keeps a code. The owner of the address then
// signs in by OpenID. The code must not return a key of the owner.
func TestToken_refuses_a_code_from_before_access_ended(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world) error{
		"with the password": func(w *world) error { return w.db.Accounts().SetPassword(t.Context(), w.user.ID, "") },
		"by a link":         func(w *world) error { return w.db.Accounts().RevokeAccess(t.Context(), w.user) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			client := w.register(callback)
			code := w.code(client)
			check(t, end(w))
			w.wantError(w.form("/token", exchange(client, code)), http.StatusBadRequest, "invalid_grant")
			if _, err := w.keys.Show(t.Context(), w.user.ID); model.CodeOf(err) != model.CodeNotFound {
				t.Errorf("key: got %v, want none made", err)
			}
		})
	}
}

// The code may be stored after access has ended, by a request that began before.
func TestToken_refuses_a_code_of_an_older_version(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client := w.register(callback)
	code := w.code(client)
	w.execute("UPDATE users SET access_version = access_version + 1")
	w.wantError(w.form("/token", exchange(client, code)), http.StatusBadRequest, "invalid_grant")
}

func TestToken_reads_the_body_only(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client := w.register(callback)
	form := exchange(client, w.code(client))
	const kind = "application/x-www-form-urlencoded"
	w.wantError(w.send(http.MethodPost, "/token?"+form.Encode(), kind, ""), http.StatusBadRequest, "invalid_request")
	split := exchange(client, form.Get("code"))
	split.Del("code")
	w.wantError(w.send(http.MethodPost, "/token?code="+form.Get("code"), kind, split.Encode()), http.StatusBadRequest, "invalid_request")
	w.wantError(w.send(http.MethodPost, "/token", "application/json", `{"grant_type":"authorization_code"}`), http.StatusBadRequest, "invalid_request")
	w.wantError(w.send(http.MethodPost, "/token", kind, "code=%zz"), http.StatusBadRequest, "invalid_request")
	w.wantError(w.send(http.MethodPost, "/token", kind, strings.Repeat("x", maxBody+1)), http.StatusBadRequest, "invalid_request")
	w.wantError(w.send(http.MethodGet, "/token?"+form.Encode(), kind, ""), http.StatusMethodNotAllowed, "invalid_request")
	if got := w.send(http.MethodPost, "/api/token/", kind+"; charset=UTF-8", form.Encode()); got.status != http.StatusOK {
		t.Errorf("the code after the refused exchanges: got %d %s, want it unspent", got.status, got.body)
	}
}

func TestToken_knows_a_client_by_its_Basic_header(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client, other := w.register(callback), w.register(callback)
	send := func(form url.Values, id, secret string) reply {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL+"/token", strings.NewReader(form.Encode()))
		check(t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.SetBasicAuth(id, secret)
		return w.do(http.DefaultClient, r)
	}
	form := exchange(client, w.code(client))
	got := send(form, client, "a secret")
	w.wantError(got, http.StatusUnauthorized, "invalid_client")
	if got := got.header.Get("WWW-Authenticate"); !strings.HasPrefix(got, "Basic") {
		t.Errorf("WWW-Authenticate: got %q, want Basic", got)
	}
	w.wantError(send(form, other, ""), http.StatusUnauthorized, "invalid_client")
	form.Del("client_id")
	if got := send(form, client, ""); got.status != http.StatusOK {
		t.Errorf("client without secret: got %d %s, want 200", got.status, got.body)
	}
}
