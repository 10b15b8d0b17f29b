package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/auth"
	"portico/model"
)

func TestAuthorize_asks_who_is_signed_in(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	query := askingFor(w.register(callback))
	page := w.authorize(query)
	for _, want := range []string{"<bdi>Uploader</bdi>", "<strong>client.example</strong>", "ada@example.com", "delete your spaces", `value="allow"`, `value="deny"`} {
		if page.status != http.StatusOK || !strings.Contains(page.body, want) {
			t.Errorf("consent: got %d %s, want %q in it", page.status, page.body, want)
		}
	}
	// Browsers apply form-action to the redirect too.
	if got, want := page.header.Get("Content-Security-Policy"), "form-action 'self' https://client.example"; !strings.HasSuffix(got, want) {
		t.Errorf("policy: got %q, want %q at its end", got, want)
	}
	back := w.decide(page, "allow")
	if got, want := back.Scheme+"://"+back.Host+back.Path, "https://client.example/callback"; got != want {
		t.Errorf("redirect: got %s, want %s", got, want)
	}
	got := back.Query()
	if got.Get("code") == "" || got.Get("state") != "a state & more" || got.Get("iss") != w.server.URL || got.Get("tab") != "1" || len(got) != 4 {
		t.Errorf("parameters: got %v, want code, state, iss and the own tab", got)
	}
}

func TestAuthorize_leads_a_stranger_to_the_sign_in_and_back(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := "/authorize?" + askingFor(w.register(callback)).Encode()
	stranger := w.stranger()
	got := w.page(stranger, address)
	to := w.location(got)
	if got.status != http.StatusFound || to.Path != "/login" || to.Query().Get("next") != address {
		t.Fatalf("response: got %d to %s, want the sign-in page with the way back", got.status, to)
	}
	response, err := stranger.PostForm(w.server.URL+"/login",
		url.Values{"email": {"ada@example.com"}, "password": {"correct horse"}, "next": {to.Query().Get("next")}})
	check(t, err)
	check(t, response.Body.Close())
	if got := response.Header.Get("Location"); got != address {
		t.Errorf("after the sign-in: got %s, want %s", got, address)
	}
	if got := w.page(stranger, address); got.status != http.StatusOK || !formToken.MatchString(got.body) {
		t.Errorf("consent: got %d %s, want the form", got.status, got.body)
	}
}

func TestAuthorize_returns_access_denied(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := w.decide(w.authorize(askingFor(w.register(callback))), "deny").Query()
	if got.Get("error") != "access_denied" || got.Get("state") != "a state & more" || got.Get("iss") != w.server.URL || got.Has("code") {
		t.Errorf("parameters: got %v, want access_denied with state and iss", got)
	}
}

// An unknown client or redirect URI is a page: the browser is sent nowhere, and
// nobody has to sign in to see it.
func TestAuthorize_never_redirects_to_an_address_that_is_not_registered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client, other := w.register(callback), w.register("https://evil.example/")
	for _, row := range []struct {
		name   string
		change func(url.Values)
	}{
		{"no_client", func(q url.Values) { q.Del("client_id") }},
		{"unknown_client", func(q url.Values) { q.Set("client_id", model.Token()) }},
		{"hostile_client", func(q url.Values) { q.Set("client_id", "'\x00; --") }},
		{"client_twice", func(q url.Values) { q["client_id"] = []string{client, other} }},
		{"no_redirect", func(q url.Values) { q.Del("redirect_uri") }},
		{"redirect_of_another_client", func(q url.Values) { q.Set("redirect_uri", "https://evil.example/") }},
		{"redirect_twice", func(q url.Values) { q["redirect_uri"] = []string{callback, "https://evil.example/"} }},
		{"with_user", func(q url.Values) { q.Set("redirect_uri", "https://client.example@evil.example/callback?tab=1") }},
		{"suffix", func(q url.Values) { q.Set("redirect_uri", "https://client.example.evil.example/callback?tab=1") }},
		{"prefix", func(q url.Values) { q.Set("redirect_uri", "https://evilclient.example/callback?tab=1") }},
		{"fragment", func(q url.Values) { q.Set("redirect_uri", callback+"#x") }},
		{"dots", func(q url.Values) { q.Set("redirect_uri", "https://client.example/x/../callback?tab=1") }},
		{"case", func(q url.Values) { q.Set("redirect_uri", "https://Client.example/callback?tab=1") }},
		{"port", func(q url.Values) { q.Set("redirect_uri", "https://client.example:8443/callback?tab=1") }},
		{"scheme", func(q url.Values) { q.Set("redirect_uri", "javascript:alert(1)") }},
	} {
		t.Run(row.name, func(t *testing.T) {
			query := askingFor(client)
			row.change(query)
			for _, browser := range []*http.Client{w.person, w.stranger()} {
				got := w.page(browser, "/authorize?"+query.Encode())
				if got.status != http.StatusBadRequest || got.header.Get("Location") != "" || !strings.Contains(got.header.Get("Content-Type"), "text/html") {
					t.Errorf("response: got %d to %q, want a page with 400", got.status, got.header.Get("Location"))
				}
			}
		})
	}
}

// The person passes the message on to the developer of the app, so it must say what is wrong.
func TestAuthorize_says_that_the_redirect_URI_is_missing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	query := askingFor(w.register(callback))
	query.Del("redirect_uri")
	got := w.page(w.person, "/authorize?"+query.Encode())
	const want = "The app that sent you here does not say where it wants the answer (redirect_uri)"
	if got.status != http.StatusBadRequest || !strings.Contains(got.body, want) {
		t.Errorf("response: got %d and %s, want 400 and %q", got.status, got.body, want)
	}
}

func TestScopeFault_distinguishes_bad_characters_from_a_long_scope(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ scope, want string }{
		{"", ""},
		{"openid offline_access", ""},
		{strings.Repeat("s", maxScope), ""},
		{strings.Repeat("s", maxScope+1), "scope must have at most 1000 characters"},
		{`"`, "scope has characters that are not allowed in a scope"},
		{"a\\b", "scope has characters that are not allowed in a scope"},
		{strings.Repeat("ü", maxScope), "scope has characters that are not allowed in a scope"},
	} {
		if got := scopeFault(test.scope); got != test.want {
			t.Errorf("%.20q: got %q, want %q", test.scope, got, test.want)
		}
	}
}

func TestAuthorize_reports_other_errors_to_the_client(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client, unknown := w.register(callback), w.register(callback)
	w.code(client) // the person agrees once
	for _, row := range []struct {
		name   string
		change func(url.Values)
		want   string
	}{
		{"no_response_type", func(q url.Values) { q.Del("response_type") }, "invalid_request"},
		{"token", func(q url.Values) { q.Set("response_type", "token") }, "unsupported_response_type"},
		{"no_challenge", func(q url.Values) { q.Del("code_challenge") }, "invalid_request"},
		{"no_method", func(q url.Values) { q.Del("code_challenge_method") }, "invalid_request"},
		{"plain", func(q url.Values) { q.Set("code_challenge_method", "plain") }, "invalid_request"},
		{"method_in_lower_case", func(q url.Values) { q.Set("code_challenge_method", "s256") }, "invalid_request"},
		{"short_challenge", func(q url.Values) { q.Set("code_challenge", "abc") }, "invalid_request"},
		{"challenge_that_is_no_hash", func(q url.Values) { q.Set("code_challenge", strings.Repeat("!", 43)) }, "invalid_request"},
		{"scope", func(q url.Values) { q.Set("scope", "\"") }, "invalid_scope"},
		{"parameter_twice", func(q url.Values) { q["code_challenge"] = []string{"a", "b"} }, "invalid_request"},
	} {
		for _, state := range []string{"the state", ""} {
			t.Run(row.name+"/"+state, func(t *testing.T) {
				query := askingFor(client)
				row.change(query)
				query.Set("state", state)
				if state == "" {
					query.Del("state")
				}
				got := w.authorize(query)
				back := w.location(got)
				parameters := back.Query()
				if got.status != http.StatusFound || back.Host != "client.example" || parameters.Get("error") != row.want ||
					parameters.Get("error_description") == "" || parameters.Get("state") != state ||
					parameters.Has("state") != (state != "") || parameters.Get("iss") != w.server.URL || parameters.Has("code") {
					t.Errorf("response: got %d to %s, want %s with the state as it was sent", got.status, back, row.want)
				}
				w.wantPage(w.page(w.stranger(), "/authorize?"+query.Encode()))
				query.Set("client_id", unknown)
				w.wantPage(w.authorize(query))
			})
		}
	}
}

// wantPage wants an error that leads nowhere: anybody can register a client.
func (w *world) wantPage(got reply) {
	w.t.Helper()
	if got.status != http.StatusBadRequest || got.header.Get("Location") != "" || !strings.Contains(got.body, "made a mistake") {
		w.t.Errorf("response: got %d to %q, want a page with 400", got.status, got.header.Get("Location"))
	}
}

func TestAuthorize_echoes_a_missing_state_as_missing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	query := askingFor(w.register(callback))
	query.Del("state")
	query["resource"] = []string{w.server.URL + "/v1/mcp", w.server.URL + "/v1"} // RFC 8707
	got := w.decide(w.authorize(query), "allow").Query()
	if got.Get("code") == "" || got.Has("state") {
		t.Errorf("parameters: got %v, want a code and no state", got)
	}
}

// Only the form that this person was shown for this very request grants
// anything.
func TestAuthorize_refuses_a_forged_consent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client, other := w.register(callback), w.register(callback)
	address := "/authorize?" + askingFor(client).Encode()
	token := formToken.FindStringSubmatch(w.page(w.person, address).body)[1]
	for _, row := range []struct {
		name, address, token, origin string
	}{
		{"never_shown", address, "", w.server.URL},
		{"guessed_token", address, strings.Repeat("0", 64), w.server.URL},
		{"token_of_another_client", "/authorize?" + askingFor(other).Encode(), token, w.server.URL},
		{"token_of_another_challenge", strings.Replace(address, "code_challenge=", "code_challenge=A", 1), token, w.server.URL},
		{"from_another_site", address, token, "https://evil.example"},
		{"from_a_sandbox", address, token, "null"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := w.submit(row.address, url.Values{"decision": {"allow"}, "form_token": {row.token}}, row.origin)
			if strings.Contains(got.header.Get("Location"), "code=") {
				t.Errorf("response: got %d to %s, want no code", got.status, got.header.Get("Location"))
			}
			if got.status != http.StatusForbidden && got.status != http.StatusBadRequest {
				t.Errorf("status: got %d, want 403, or 400 for a request that is wrong itself", got.status)
			}
		})
	}
	stranger := w.stranger()
	response, err := stranger.PostForm(w.server.URL+address, url.Values{"decision": {"allow"}, "form_token": {token}})
	check(t, err)
	check(t, response.Body.Close())
	if got := response.Header.Get("Location"); !strings.HasPrefix(got, "/login?next=") {
		t.Errorf("stranger: got sent to %q, want the sign-in page", got)
	}
}

func TestAuthorize_shows_hostile_names_harmlessly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := w.send(http.MethodPost, "/register", "application/json",
		`{"client_name":"<script>alert(1)</script>\u202egnp","redirect_uris":["http://evil.example:81/","http://127.0.0.1/","http://[::1]:1/"]}`)
	client := got.document["client_id"].(string)
	for redirect, wants := range map[string][]string{
		"http://evil.example:81/": {"<strong>evil.example:81</strong>", "not encrypted"},
		"http://127.0.0.1:4444/":  {"<strong>127.0.0.1:4444</strong>", "an app on this computer"},
		"http://[::1]:4444/":      {"<strong>[::1]:4444</strong>", "an app on this computer"},
	} {
		query := askingFor(client)
		query.Set("redirect_uri", redirect)
		page := w.authorize(query)
		for _, want := range append(wants, "<bdi>&lt;script&gt;alert(1)&lt;/script&gt;gnp</bdi>") {
			if !strings.Contains(page.body, want) {
				t.Errorf("%s: got %s, want %q in it", redirect, page.body, want)
			}
		}
	}
}

// After another PORTICO_SECRET the key cannot be given out; the person learns
// what to do.
func TestAuthorize_with_a_key_of_another_secret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.keys.EnsureKey(t.Context(), w.user.ID)
	check(t, err)
	w.oauth.keys, err = auth.NewKeys(w.db, []byte("another secret of 16 and more"))
	check(t, err)
	got := w.press(w.authorize(askingFor(w.register(callback))), "allow")
	if got.status != http.StatusBadRequest || !strings.Contains(got.body, "Generate a new key") {
		t.Errorf("response: got %d %s, want a page that says what to do", got.status, got.body)
	}
}

// A code that the client cannot exchange would only hide the fault from the person.
func TestAuthorize_grants_nothing_while_the_key_cannot_be_read(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	page := w.authorize(askingFor(w.register(callback)))
	w.execute("ALTER TABLE api_keys RENAME TO lost_keys")
	if got := w.press(page, "allow"); got.status != http.StatusInternalServerError || got.header.Get("Location") != "" {
		t.Errorf("response: got %d to %q, want a page with 500", got.status, got.header.Get("Location"))
	}
}
