// Package openid is an OpenID Connect provider for tests. It has one client, and people agree to
// everything.
package openid

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// accessToken is the token for the userinfo endpoint.
const accessToken = "the access token"

// The credentials of the client.
const (
	ClientID     = "portico"
	ClientSecret = "hush"
)

// Provider is a running provider. It serves one sign-in at a time.
//
// The endpoints:
//
//	GET  /.well-known/openid-configuration  the metadata (OpenID Connect Discovery 1.0)
//	GET  /keys                              the public key (RFC 7517)
//	GET  /authorize                         the page where people sign in
//	POST /authorize                         sends the browser back with the code
//	POST /token                             exchanges the code for an id token
//	GET  /userinfo                          the claims of UserInfo
type Provider struct {
	// Claims are what the ID token says about the person. Set them before a sign-in.
	Claims map[string]any
	// UserInfo are the claims of the userinfo endpoint; nil for a provider without one.
	UserInfo map[string]any

	t      testing.TB
	server *httptest.Server
	key    *rsa.PrivateKey
	down   atomic.Bool
	asked  url.Values // the authorization request to which the code belongs
}

// sharedKey returns the key of all providers of this test process. Making a key takes a tenth of a
// second, and a second with the race detector.
var sharedKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// Start starts a provider, which stops when the test ends.
func Start(t testing.TB) *Provider {
	t.Helper()
	key, err := sharedKey()
	check(t, err)
	p := &Provider{t: t, key: key, Claims: map[string]any{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.serveDiscovery)
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		p.respond(w, map[string]any{"keys": []any{map[string]string{ // RFC 7517
			"kty": "RSA", "kid": "1", "alg": "RS256", "use": "sig",
			"n": encode(key.N.Bytes()), "e": encode(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.serveToken)
	mux.HandleFunc("GET /userinfo", p.serveUserInfo)
	p.server = httptest.NewServer(mux)
	t.Cleanup(p.server.Close)
	return p
}

// URL returns the issuer.
func (p *Provider) URL() string { return p.server.URL }

// SetDown sets whether the provider refuses to return its metadata.
func (p *Provider) SetDown(isDown bool) { p.down.Store(isDown) }

// serveDiscovery returns the metadata of the provider.
func (p *Provider) serveDiscovery(w http.ResponseWriter, _ *http.Request) {
	if p.down.Load() {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	metadata := map[string]any{
		"issuer": p.server.URL, "authorization_endpoint": p.server.URL + "/authorize", "token_endpoint": p.server.URL + "/token",
		"jwks_uri": p.server.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"},
	}
	if p.UserInfo != nil {
		metadata["userinfo_endpoint"] = p.server.URL + "/userinfo"
	}
	p.respond(w, metadata)
}

// serveUserInfo returns the claims of UserInfo to a client with the access token.
func (p *Provider) serveUserInfo(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+accessToken {
		http.Error(w, "no access token", http.StatusUnauthorized)
		return
	}
	claims := map[string]any{"sub": "1"}
	maps.Copy(claims, p.UserInfo)
	p.respond(w, claims)
}

// Agree is a person who agrees to an authorization request, without a browser. It returns the path
// to which the provider sends the person back.
func (p *Provider) Agree(authorizeURL string) string {
	p.t.Helper()
	u, err := url.Parse(authorizeURL)
	check(p.t, err)
	back, err := url.Parse(p.agree(u.Query()))
	check(p.t, err)
	return back.RequestURI()
}

// agree checks an authorization request, and returns the address to which the person returns.
func (p *Provider) agree(asked url.Values) string {
	p.asked = asked
	for name, want := range map[string]string{"response_type": "code", "client_id": ClientID, "code_challenge_method": "S256", "scope": "openid email profile"} {
		if got := asked.Get(name); got != want {
			p.t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	return asked.Get("redirect_uri") + "?" + url.Values{"code": {"the code"}, "state": {asked.Get("state")}}.Encode()
}

// page is where people sign in with a browser.
const page = `<!DOCTYPE html><html lang="en"><title>Provider</title>
<form method="post"><label>Address at the provider <input name="email" required></label> <button>Agree</button></form>`

// authorize signs in a person with any e-mail address, which it calls verified.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if _, err := io.WriteString(w, page); err != nil {
			p.t.Errorf("provider: %v", err)
		}
		return
	}
	email := r.PostFormValue("email")
	p.Claims = map[string]any{"sub": email, "email": email, "email_verified": true}
	http.Redirect(w, r, p.agree(r.URL.Query()), http.StatusSeeOther) //nolint:gosec // a provider of tests, which knows no clients
}

// serveToken exchanges the code for an id token. It checks the code verifier (PKCE, RFC 7636) and
// the credentials of the client, as a real provider does.
func (p *Provider) serveToken(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	id, secret, _ := r.BasicAuth()
	if r.FormValue("code") != "the code" || base64.RawURLEncoding.EncodeToString(sum[:]) != p.asked.Get("code_challenge") || id != ClientID || secret != ClientSecret {
		w.WriteHeader(http.StatusBadRequest)
		p.respond(w, map[string]any{"error": "invalid_grant"})
		return
	}
	p.respond(w, map[string]any{"access_token": accessToken, "token_type": "Bearer", "id_token": p.idToken()})
}

// encode returns bytes as JSON Web Tokens have them.
func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// idToken returns a signed token with the claims.
func (p *Provider) idToken() string {
	claims := map[string]any{
		"iss": p.server.URL, "aud": ClientID, "sub": "1", "nonce": p.asked.Get("nonce"),
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
	}
	for name, value := range p.Claims {
		claims[name] = value
	}
	payload, err := json.Marshal(claims)
	check(p.t, err)
	// RFC 7515: the signature is over header and payload as they are sent.
	signed := encode([]byte(`{"alg":"RS256","kid":"1","typ":"JWT"}`)) + "." + encode(payload)
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	check(p.t, err)
	return signed + "." + encode(signature)
}

// respond sends a body as JSON.
func (p *Provider) respond(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(body); err != nil {
		p.t.Errorf("provider: %v", err)
	}
}

// check fails the test at once if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
