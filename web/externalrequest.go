package web

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"portico/model"
)

// The keys of the session values of a request to the provider, while the person is there.
const (
	externalState    = "external state"
	externalNonce    = "external nonce"
	externalVerifier = "external verifier"
	externalNext     = "external next"
	connectUser      = "connect user"  // the id of the account that asked for a connection
	connectStart     = "connect start" // when it asked
)

// externalRequest is a request to the provider, as the session remembers it.
type externalRequest struct {
	state, nonce, verifier string
	next                   string // where the person came from; for a sign-in
	// connectingUserID is the account that asked for a connection at connectStart; empty for a
	// sign-in.
	connectingUserID string
	connectStart     time.Time
}

// newRequest returns the address at the provider for a new request, and the session values of the
// request. The state binds the return to this browser (RFC 6749 section 10.12), the nonce binds the
// ID token to this request (OpenID Connect Core section 3.1.2.1), and the verifier binds the code
// to both (RFC 7636).
func (e *external) newRequest(provider *oidc.Provider) (address string, values map[string]any) {
	state, nonce, verifier := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
	address = e.config(provider).AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))
	return address, map[string]any{externalState: state, externalNonce: nonce, externalVerifier: verifier}
}

// takeRequest removes the values of the request from the session, so that a return works only once,
// and returns them.
func (s *Site) takeRequest(ctx context.Context) externalRequest {
	taken := externalRequest{
		state: s.sessions.PopString(ctx, externalState), nonce: s.sessions.PopString(ctx, externalNonce),
		verifier: s.sessions.PopString(ctx, externalVerifier), next: s.sessions.PopString(ctx, externalNext),
		connectingUserID: s.sessions.PopString(ctx, connectUser),
		connectStart:     time.Unix(s.sessions.GetInt64(ctx, connectStart), 0),
	}
	s.sessions.Remove(ctx, connectStart)
	return taken
}

// returnedProfile returns the person whom the provider has identified. For nobody it returns the
// status of the page that says so, and logs the cause:
//
//	the provider refused         422
//	the provider cannot be used  502
func (s *Site) returnedProfile(r *http.Request, request externalRequest) (found *profile, status int) {
	ctx, query := r.Context(), r.URL.Query()
	log := s.log.With("connecting", request.connectingUserID != "", "request_id", model.RequestID(ctx))
	if query.Get("code") == "" {
		log.Info("external sign-in refused", "error", shorten(query.Get("error")), "description", shorten(query.Get("error_description")))
		return nil, http.StatusUnprocessableEntity
	}
	found, err := s.external.profile(ctx, query.Get("code"), request.verifier, request.nonce)
	if err != nil {
		log.Warn("external sign-in", "error", err)
		return nil, http.StatusBadGateway
	}
	return found, http.StatusOK
}

// maxLogged is the maximum number of bytes of a parameter in the log. Anybody can send one.
const maxLogged = 300

// shorten returns the start of a text of the provider, for the log.
func shorten(text string) string { return strings.ToValidUTF8(text[:min(len(text), maxLogged)], "") }
