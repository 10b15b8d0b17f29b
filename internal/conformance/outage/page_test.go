package outage

import (
	"net/http"
	"net/url"
	"strings"

	"portico/internal/testkit/api"
)

// fileCalls returns the calls that send or read bytes. Files that are stored need no database.
func (w *installation) fileCalls() []call {
	tus := with(w.addKey(nil), "Tus-Resumable", "1.0.0")
	patch := with(with(tus, "Upload-Offset", "1"), "Content-Type", "application/offset+octet-stream") // not the offset
	put := http.Header{}
	for name, value := range w.upload.Headers {
		put.Set(name, value)
	}
	unknown := w.resumable[:strings.LastIndex(w.resumable, "/")+1] + "unknown"
	return []call{
		{name: "PUT of a file", want: envelope, send: func() api.Response { return w.request("PUT", w.upload.URL, put, "{}") }},
		{name: "GET of a file", want: unaffected, send: func() api.Response { return w.request("GET", w.FilesURL()+"/"+w.client.ID+"/"+w.file, nil, "") }},
		{name: "tus HEAD", want: noBody, send: func() api.Response { return w.request("HEAD", w.resumable, tus, "") }},
		{name: "tus PATCH", want: envelope, send: func() api.Response { return w.request("PATCH", w.resumable, patch, "{}") }},
		{name: "tus DELETE", want: envelope, send: func() api.Response { return w.request("DELETE", unknown, tus, "") }},
		{name: "tus with a session", want: envelope, send: func() api.Response {
			return w.request("DELETE", unknown, with(with(with(nil, "Tus-Resumable", "1.0.0"), "Cookie", w.session), "Origin", w.BaseURL()), "")
		}},
		{name: "export of an account", want: plain, send: func() api.Response { return w.request("GET", w.export, nil, "") }},
	}
}

// signInCalls returns the calls of the pages of accounts. A form without a session is unaffected.
func (w *installation) signInCalls() []call {
	const unknown = "portico_session=unknown"
	signedIn := http.Header{"Cookie": {w.session}}
	credentials := url.Values{"email": {email}, "name": {"Ada"}, "password": {password}}
	return []call{
		{name: "GET /login", want: unaffected, send: func() api.Response { return w.get("/login") }},
		{name: "GET /login with a session", want: page, send: func() api.Response { return w.request("GET", "/login", signedIn, "") }},
		{name: "POST /login", want: page, send: func() api.Response { return w.form("/login", "", credentials) }},
		{name: "GET /signup", want: unaffected, send: func() api.Response { return w.get("/signup") }},
		{name: "POST /signup", want: page, send: func() api.Response { return w.form("/signup", "", credentials) }},
		{name: "POST /logout", want: page, send: func() api.Response { return w.form("/logout", unknown, nil) }},
		{name: "GET /account/key", want: page, send: func() api.Response { return w.request("GET", "/account/key", signedIn, "") }},
		{name: "POST /account/key", want: page, send: func() api.Response { return w.form("/account/key", w.session, url.Values{"action": {"none"}}) }},
		{name: "GET /console", want: page, send: func() api.Response { return w.request("GET", "/console", signedIn, "") }},
	}
}

// registration is the metadata of an OAuth client.
const registration = `{"client_name":"App","redirect_uris":["http://127.0.0.1/callback"]}`

// oauthCalls returns the calls of the authorization server.
func (w *installation) oauthCalls() []call {
	authorize := "/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {w.app}, "redirect_uri": {"http://127.0.0.1/callback"}, "state": {"x"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
	}.Encode()
	exchange := url.Values{
		"grant_type": {"authorization_code"}, "code": {"x"}, "client_id": {w.app}, "redirect_uri": {"http://127.0.0.1/callback"},
		"code_verifier": {strings.Repeat("x", 43)},
	}
	return []call{
		{name: "POST /register", want: oauthError, send: func() api.Response { return w.request("POST", "/register", jsonType, registration) }},
		{name: "GET /authorize", want: page, send: func() api.Response { return w.get(authorize) }},
		{name: "GET /authorize with a session", want: page, send: func() api.Response { return w.request("GET", authorize, http.Header{"Cookie": {w.session}}, "") }},
		{name: "POST /authorize", want: page, send: func() api.Response { return w.form(authorize, w.session, url.Values{"decision": {"allow"}}) }},
		{name: "POST /token", want: oauthError, send: func() api.Response { return w.form("/token", "", exchange) }},
		{name: "POST /revoke", want: oauthError, send: func() api.Response {
			return w.form("/revoke", "", url.Values{"token": {"portico_x"}, "client_id": {w.app}})
		}},
		{name: "metadata", want: unaffected, send: func() api.Response { return w.get("/.well-known/oauth-authorization-server") }},
	}
}

// pageCalls returns the calls of the pages of spaces, and of the paths that need no account.
func (w *installation) pageCalls() []call {
	oEmbed := "/oembed?url=" + url.QueryEscape(w.BaseURL()+"/"+w.space)
	var calls []call
	for path, want := range map[string]form{
		"/": placePage, "/" + w.space: placePage, "/embed/" + w.space: placePage, "/u/" + w.client.ID: placePage, oEmbed: oEmbedError,
		"/sitemap.xml": plain, "/robots.txt": unaffected, "/playground": unaffected, "/openapi.json": unaffected,
		"/livez": unaffected, "/metrics": unaffected, "/readyz": notReady,
	} {
		calls = append(calls, call{name: "GET " + path, want: want, send: func() api.Response { return w.get(path) }})
	}
	return calls
}
