package web

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"portico/model"
)

// The keys of the session values of an external sign-in, while the person is at the provider.
const (
	externalState    = "external state"
	externalNonce    = "external nonce"
	externalVerifier = "external verifier"
	externalNext     = "external next"
)

// externalTimeout is how long an external sign-in may take.
const externalTimeout = 15 * time.Minute

// externalFailed is the message for every failure at the provider. The log has the cause.
const externalFailed = "The sign-in with the external provider failed. Try again"

// startExternal sends the browser to the provider. The state binds the return to this
// browser (RFC 6749 section 10.12), the nonce binds the ID token to this sign-in (OpenID
// Connect Core section 3.1.2.1), and the verifier binds the code to both (RFC 7636).
//
// The four values are in the session, and so in the database: a browser has only the cookie of the
// session. The deadline ends sessions that never come back.
func (s *Site) startExternal(w http.ResponseWriter, r *http.Request) error {
	if wait := s.limits.externalByAddress.Take(s.AttemptSubject(r)); wait > 0 {
		return tooManyAttempts(wait)
	}
	user, err := s.User(r)
	if err != nil {
		return err
	}
	if user != nil {
		return Redirect(w, r, nextPath(r))
	}
	provider, err := s.external.discover()
	if err != nil {
		return s.externalFailure(w, r, err)
	}
	ctx, state, nonce, verifier := r.Context(), rand.Text(), rand.Text(), oauth2.GenerateVerifier()
	for key, value := range map[string]string{
		externalState: state, externalNonce: nonce, externalVerifier: verifier, externalNext: nextPath(r),
	} {
		s.sessions.Put(ctx, key, value)
	}
	s.sessions.SetDeadline(ctx, time.Now().Add(externalTimeout).UTC())
	return Redirect(w, r, s.external.config(provider).
		AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)))
}

// finishExternal signs in a person who returns from the provider, or connects the identity to the
// account that asked for it (StartIdentity). It first removes the values of the sign-in from the
// session, so that a return works only once.
//
// The outcomes of a sign-in (finishConnection lists the outcomes of a connection):
//
//	another state, or none       400, sign in again
//	the provider refused         422; the log has the reason
//	the provider cannot be used  502
//	an account is not allowed    403, with an event in the audit trail
//	otherwise                    signed in, and redirected to where the person came from
func (s *Site) finishExternal(w http.ResponseWriter, r *http.Request) error {
	ctx, query := r.Context(), r.URL.Query()
	state, nonce := s.sessions.PopString(ctx, externalState), s.sessions.PopString(ctx, externalNonce)
	verifier, next := s.sessions.PopString(ctx, externalVerifier), s.sessions.PopString(ctx, externalNext)
	connecting, start := s.sessions.PopString(ctx, connectUser), s.sessions.GetInt64(ctx, connectStart)
	s.sessions.Remove(ctx, connectStart)
	// Without this check an attacker could sign the browser in to the attacker's account
	// (RFC 6749 section 10.12).
	if state == "" || subtle.ConstantTimeCompare([]byte(state), []byte(query.Get("state"))) != 1 {
		return s.renderSignIn(w, r, http.StatusBadRequest, "This sign-in has expired. Try again")
	}
	if connecting != "" {
		return s.finishConnection(w, r, connecting, start, verifier, nonce)
	}
	if query.Get("code") == "" {
		s.log.Info("external sign-in refused", "error", query.Get("error"), "request_id", model.RequestID(ctx))
		return s.renderSignIn(w, r, http.StatusUnprocessableEntity, externalFailed)
	}
	found, err := s.external.profile(ctx, query.Get("code"), verifier, nonce)
	if err != nil {
		return s.externalFailure(w, r, err)
	}
	user, err := s.accountOfProfile(ctx, found)
	if refused := model.CodeOf(err); refused == model.CodeForbidden || refused == model.CodeInvalid {
		return s.refuseProfile(w, r, err)
	}
	if err != nil {
		return err
	}
	if err := s.startSession(ctx, user, model.ByOpenID); err != nil {
		return err
	}
	if !isLocalPath(next) {
		next = accountPath
	}
	return Redirect(w, r, next)
}

// refuseProfile records that a person of the provider gets no account, and shows the sign-in page with
// the reason.
func (s *Site) refuseProfile(w http.ResponseWriter, r *http.Request, reason error) error {
	failed := model.NewSecurityEvent(r.Context(), model.EventSignInFailed, "").
		WithMethod(model.ByOpenID).WithSubject("", reason.Error())
	if err := s.db.AddSecurityEvent(r.Context(), failed); err != nil {
		return err
	}
	return s.renderSignIn(w, r, http.StatusForbidden, capitalizedMessage(reason))
}

// externalFailure logs the error and shows the sign-in page, so that the person can try again.
func (s *Site) externalFailure(w http.ResponseWriter, r *http.Request, err error) error {
	s.log.Warn("external sign-in", "error", err, "request_id", model.RequestID(r.Context()))
	return s.renderSignIn(w, r, http.StatusBadGateway, externalFailed)
}
