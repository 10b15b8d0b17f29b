package main

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"golang.org/x/oauth2"

	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/model"
)

// TestOAuth has apps sign people in at the running program.
func TestOAuth(t *testing.T) {
	t.Parallel()
	server := serve(t, dataDir(t), "PORTICO_DATABASE_URL="+postgres.URL(t, migrate), "PORTICO_WORKERS=0")
	for name, issuer := range map[string]string{"at the root": server.URL, "below api": server.URL + "/api"} {
		t.Run("opens every door until it is revoked "+name, func(t *testing.T) {
			t.Parallel()
			testGrant(t, server, issuer)
		})
	}
	t.Run("gives a code to the address that is registered only", func(t *testing.T) {
		t.Parallel()
		testRedirects(t, server)
	})
	t.Run("gives a key once to who asked for it only", func(t *testing.T) {
		t.Parallel()
		testExchanges(t, server)
	})
	t.Run("takes no answer that the person did not give", func(t *testing.T) {
		t.Parallel()
		testForgeries(t, server)
	})
}

// testGrant tests a grant from discovery to revocation.
func testGrant(t *testing.T, server *process, issuer string) {
	visitor := newVisitor(t, server)
	app := newApp(t, issuer)
	back := visitor.answer(app.ask(), "allow")
	token, err := app.exchange(back)
	check(t, err)
	if !token.Expiry.IsZero() || token.RefreshToken != "" || token.Type() != "Bearer" {
		t.Errorf("token: got %+v, want a bearer token for good", token)
	}
	holder := &user{&api.Client{T: t, URL: server.URL, Key: token.AccessToken}}
	doors := viewers(holder)
	for door, viewer := range doors {
		if email, err := viewer(); err != nil || email != visitor.email {
			t.Errorf("%s: got %q and %v, want %s", door, email, err, visitor.email)
		}
	}
	if err := holder.Tool("create_space", map[string]any{"title": "Hall"}, nil); err != nil {
		t.Errorf("create_space: %v", err)
	}
	open := holder.Socket()
	defer open.CloseNow()

	app.post(app.revocation, url.Values{"token": {token.AccessToken}, "client_id": {app.ClientID}}, http.StatusOK)
	for door, viewer := range doors {
		_, err := viewer()
		if refused, ok := errors.AsType[*api.Refusal](err); !ok || refused.Code != model.CodeUnauthenticated {
			t.Errorf("%s with the revoked key: got %v, want %s", door, err, model.CodeUnauthenticated)
		}
	}
	api.WantClosed(t, "open socket", open)
	late, _, err := websocket.Dial(t.Context(), strings.Replace(server.URL, "http", "ws", 1)+"/graphql",
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	check(t, err)
	defer late.CloseNow()
	check(t, wsjson.Write(t.Context(), late, map[string]any{
		"type": "connection_init", "payload": map[string]string{"Authorization": "Bearer " + token.AccessToken},
	}))
	api.WantClosed(t, "new socket", late)
	log := strings.Join(server.Log(), "\n")
	for what, secret := range map[string]string{"key": token.AccessToken, "code": back.Query().Get("code"), "verifier": app.verifier} {
		if strings.Contains(log, secret) {
			t.Errorf("log: it has the %s, want none", what)
		}
	}
}

// viewers returns, for each door, a request for the email address of the caller.
func viewers(c *user) map[string]func() (email string, err error) {
	return map[string]func() (email string, err error){
		"REST": func() (string, error) {
			var me struct{ Email string }
			_, err := c.REST("GET", "/user/me", nil, &me)
			return me.Email, err
		},
		"GraphQL": func() (string, error) {
			var me struct{ Email string }
			err := c.GraphQL(`{ viewer { email } }`, nil, &me)
			return me.Email, err
		},
		"MCP": func() (string, error) {
			var me struct{ Email string }
			err := c.Tool("get_user_info", nil, &me)
			return me.Email, err
		},
	}
}

func testRedirects(t *testing.T, server *process) {
	visitor := newVisitor(t, server)
	app := newApp(t, server.URL, "https://app.example/callback", "http://127.0.0.1:3000/callback")
	for asked, registered := range map[string]bool{
		"https://app.example/callback":                   true,
		"http://127.0.0.1:3000/callback":                 true,
		"http://127.0.0.1:49152/callback":                true, // RFC 8252 section 7.3
		"https://app.example/callback/":                  false,
		"https://app.example/callback#x":                 false,
		"https://app.example/callback?x=1":               false,
		"https://app.example/x/../callback":              false,
		"https://app.example/callback/..":                false,
		"https://App.Example/callback":                   false,
		"HTTPS://app.example/callback":                   false,
		"https://app.example/Callback":                   false,
		"https://app.example:444/callback":               false,
		"http://app.example/callback":                    false,
		"https://app.example.evil.example/callback":      false,
		"https://evil-app.example/callback":              false,
		"https://app.example@evil.example/callback":      false,
		"https://evil.example\\@app.example/callback":    false,
		"http://127.0.0.1:3000@evil.example/callback":    false,
		"http://127.0.0.1.evil.example:3000/callback":    false,
		"http://127.0.0.2:3000/callback":                 false,
		"http://localhost:3000/callback":                 false,
		"https://evil.example/?https://app.example/call": false,
		"javascript:alert(1)":                            false,
		"":                                               false,
	} {
		app.RedirectURL = asked
		got := visitor.get(app.ask())
		if registered && got.Status != http.StatusOK {
			t.Errorf("%q: got %d, want the consent page", asked, got.Status)
		}
		if !registered && (got.Status != http.StatusBadRequest || got.Header.Get("Location") != "") {
			t.Errorf("%q: got %d to %q, want a page with 400", asked, got.Status, got.Header.Get("Location"))
		}
	}
}

func testExchanges(t *testing.T, server *process) {
	visitor := newVisitor(t, server)
	app, other := newApp(t, server.URL), newApp(t, server.URL)
	code := func() string { return visitor.answer(app.ask(), "allow").Query().Get("code") }
	used := code()
	_, err := app.Exchange(t.Context(), used, oauth2.VerifierOption(app.verifier))
	check(t, err)
	elsewhere := *app.Config
	elsewhere.RedirectURL = "http://127.0.0.1:2/callback"
	for _, row := range []struct {
		name, code, verifier string
		config               *oauth2.Config
		want                 string
	}{
		{"a code again", used, app.verifier, app.Config, "invalid_grant"},
		{"a code of another client", code(), app.verifier, other.Config, "invalid_grant"},
		{"a code of another redirect URI", code(), app.verifier, &elsewhere, "invalid_grant"},
		{"another verifier", code(), other.verifier, app.Config, "invalid_grant"},
		{"no verifier", code(), "", app.Config, "invalid_request"},
		{"the challenge as verifier", code(), oauth2.S256ChallengeFromVerifier(app.verifier), app.Config, "invalid_grant"},
		{"an unknown code", "none", app.verifier, app.Config, "invalid_grant"},
	} {
		_, err := row.config.Exchange(t.Context(), row.code, oauth2.VerifierOption(row.verifier))
		refused, ok := errors.AsType[*oauth2.RetrieveError](err)
		if !ok || refused.ErrorCode != row.want || refused.Response.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: got %v, want 400 %s", row.name, err, row.want)
		}
	}
	plain := app.AuthCodeURL(app.state, oauth2.SetAuthURLParam("code_challenge", app.verifier), oauth2.SetAuthURLParam("code_challenge_method", "plain"))
	back, err := url.Parse(visitor.get(plain).Header.Get("Location"))
	check(t, err)
	if got := back.Query(); got.Get("error") != "invalid_request" || got.Get("state") != app.state || got.Has("code") {
		t.Errorf("plain: got %v, want invalid_request with the state", got)
	}
	stateless := app.AuthCodeURL("", oauth2.S256ChallengeOption(app.verifier))
	if got := visitor.answer(stateless, "allow").Query(); got.Has("state") || got.Get("code") == "" {
		t.Errorf("without state: got %v, want a code and no state", got)
	}
}

func testForgeries(t *testing.T, server *process) {
	visitor, attacker := newVisitor(t, server), newVisitor(t, server)
	app := newApp(t, server.URL)
	asked := app.ask()
	stolen := attacker.form(asked).fields // with a form token of the attacker's own session
	for name, row := range map[string]struct {
		fields url.Values
		origin string
	}{
		"without a form token":          {url.Values{"decision": {"allow"}}, server.URL},
		"with another person's token":   {stolen, server.URL},
		"from another site":             {visitor.form(asked).fields, "https://evil.example"},
		"from a page without an origin": {visitor.form(asked).fields, "null"},
	} {
		row.fields.Set("decision", "allow")
		got := visitor.post(asked, row.fields, row.origin)
		if got.Status != http.StatusForbidden || got.Header.Get("Location") != "" {
			t.Errorf("consent %s: got %d to %q, want 403", name, got.Status, got.Header.Get("Location"))
		}
	}
	before := visitor.cookie()
	if before.HttpOnly != true || before.SameSite != http.SameSiteLaxMode || before.Path != "/" || before.Domain != "" {
		t.Errorf("cookie: got %v, want HttpOnly, SameSite=Lax, Path=/ and no Domain", before)
	}
	credentials := url.Values{"email": {attacker.email}, "password": {visitorPassword}}
	if got := visitor.post(server.URL+"/login", credentials, "https://evil.example"); got.Status != http.StatusForbidden || got.Header.Get("Set-Cookie") != "" {
		t.Errorf("sign-in from another site: got %d and cookie %q, want 403 and none", got.Status, got.Header.Get("Set-Cookie"))
	}
	credentials.Set("next", "//evil.example/")
	got := attacker.post(server.URL+"/login", credentials, server.URL)
	if got.Header.Get("Location") != "/console" {
		t.Errorf("sign-in with a way out: got sent to %q, want /console", got.Header.Get("Location"))
	}
	victim := newVisitor(t, server)
	planted := attacker.cookie()
	victim.plant(planted)
	victim.post(server.URL+"/login", url.Values{"email": {victim.email}, "password": {visitorPassword}}, server.URL)
	if victim.cookie().Value == planted.Value {
		t.Error("session after the sign-in: got the planted one, want a new one")
	}
}
