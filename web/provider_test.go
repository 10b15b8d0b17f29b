package web

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"
)

// provider is an OpenID Connect provider of the test's own, whose users agree to
// everything.
type provider struct {
	t      *testing.T
	server *httptest.Server
	key    *rsa.PrivateKey
	down   atomic.Bool

	// What it says of its user; a test sets it before the sign-in.
	claims map[string]any
	// The request to which the code belongs.
	asked url.Values
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	check(t, err)
	p := &provider{t: t, key: key, claims: map[string]any{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		p.answer(w, map[string]any{"keys": []any{map[string]string{ // RFC 7517
			"kty": "RSA", "kid": "1", "alg": "RS256", "use": "sig",
			"n": encode(key.N.Bytes()), "e": encode(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("POST /token", p.token)
	p.server = httptest.NewServer(mux)
	t.Cleanup(p.server.Close)
	return p
}

func (p *provider) options() *OIDCOptions {
	return &OIDCOptions{Issuer: p.server.URL, ClientID: "portico", ClientSecret: "hush"}
}

func (p *provider) discovery(w http.ResponseWriter, _ *http.Request) {
	if p.down.Load() {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	p.answer(w, map[string]any{
		"issuer": p.server.URL, "authorization_endpoint": p.server.URL + "/authorize", "token_endpoint": p.server.URL + "/token",
		"jwks_uri": p.server.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"},
	})
}

// agree plays the user at the provider: it returns the path that the browser
// comes back to.
func (p *provider) agree(authorizeURL string) string {
	p.t.Helper()
	u, err := url.Parse(authorizeURL)
	check(p.t, err)
	p.asked = u.Query()
	for name, want := range map[string]string{"response_type": "code", "client_id": "portico", "code_challenge_method": "S256", "scope": "openid email profile"} {
		if got := p.asked.Get(name); got != want {
			p.t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	back, err := url.Parse(p.asked.Get("redirect_uri"))
	check(p.t, err)
	return back.Path + "?" + url.Values{"code": {"the code"}, "state": {p.asked.Get("state")}}.Encode()
}

func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	id, secret, _ := r.BasicAuth()
	if r.FormValue("code") != "the code" || base64.RawURLEncoding.EncodeToString(sum[:]) != p.asked.Get("code_challenge") || id != "portico" || secret != "hush" {
		w.WriteHeader(http.StatusBadRequest)
		p.answer(w, map[string]any{"error": "invalid_grant"})
		return
	}
	p.answer(w, map[string]any{"access_token": "unused", "token_type": "Bearer", "id_token": p.idToken()})
}

// encode returns bytes as JSON Web Tokens have them.
func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// idToken returns a signed token with the claims.
func (p *provider) idToken() string {
	claims := map[string]any{
		"iss": p.server.URL, "aud": "portico", "sub": "1", "nonce": p.asked.Get("nonce"),
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
	}
	for name, value := range p.claims {
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

func (p *provider) answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(body); err != nil {
		p.t.Errorf("provider: %v", err)
	}
}

// signIn runs the whole flow and returns the last response.
func (p *provider) signIn(b *browser) answer {
	p.t.Helper()
	begun := b.wantStatus(b.get("/login/external"), http.StatusFound)
	return b.get(p.agree(begun.location()))
}
