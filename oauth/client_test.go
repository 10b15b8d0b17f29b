package oauth

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"portico/model"
)

// The flow is discovery, registration, consent, exchange, use and revocation.
func TestClient_of_x_oauth2_runs_the_whole_flow(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "/api"} {
		t.Run("under"+prefix, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			metadata := discover(w, prefix)
			config := &oauth2.Config{
				RedirectURL: "http://127.0.0.1:1/callback",
				Endpoint:    oauth2.Endpoint{AuthURL: metadata.AuthorizationEndpoint, TokenURL: metadata.TokenEndpoint},
			}
			registered := w.send(http.MethodPost, metadata.RegistrationEndpoint, "application/json",
				`{"client_name":"CLI","redirect_uris":["http://127.0.0.1/callback"],"grant_types":["authorization_code"],"response_types":["code"],"token_endpoint_auth_method":"none"}`)
			config.ClientID, _ = registered.document["client_id"].(string)

			verifier := oauth2.GenerateVerifier()
			address := config.AuthCodeURL("the state", oauth2.S256ChallengeOption(verifier))
			back := w.decide(w.page(w.person, strings.TrimPrefix(address, w.server.URL)), "allow")
			if back.Host != "127.0.0.1:1" || back.Query().Get("state") != "the state" || back.Query().Get("iss") != metadata.Issuer {
				t.Errorf("redirect: got %s, want the state and iss at 127.0.0.1:1", back)
			}
			// The library tries a Basic header before it learns how to name a client.
			token, err := config.Exchange(t.Context(), back.Query().Get("code"), oauth2.VerifierOption(verifier))
			check(t, err)
			key, err := w.keys.EnsureKey(t.Context(), w.user.ID)
			check(t, err)
			if token.AccessToken != key || token.TokenType != "Bearer" || !token.Expiry.IsZero() || token.RefreshToken != "" {
				t.Errorf("token: got %+v, want the account's key for good", token)
			}
			revoked := w.form(metadata.RevocationEndpoint, map[string][]string{"token": {token.AccessToken}, "client_id": {config.ClientID}})
			if revoked.status != http.StatusOK {
				t.Errorf("revoke: got %d %s, want 200", revoked.status, revoked.body)
			}
			if _, err := w.keys.Caller(t.Context(), key); model.CodeOf(err) != model.CodeUnauthenticated {
				t.Errorf("revoked key: got %v, want it refused", err)
			}
		})
	}
}

func discover(w *world, prefix string) authorizationServer {
	w.t.Helper()
	got := w.send(http.MethodGet, prefix+"/.well-known/oauth-authorization-server", "", "")
	var metadata authorizationServer
	check(w.t, json.Unmarshal([]byte(got.body), &metadata))
	if want := w.server.URL + prefix; metadata.Issuer != want {
		w.t.Errorf("issuer: got %s, want %s", metadata.Issuer, want)
	}
	return metadata
}
