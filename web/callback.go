package web

import (
	"context"
	"crypto/subtle"
	"net/http"
	"time"

	"portico/auth/account"
	"portico/model"
)

// externalTimeout is how long an external sign-in may take.
const externalTimeout = 15 * time.Minute

// externalFailed is the message for every failure at the provider. The log has the cause.
const externalFailed = "The sign-in with the external provider failed. Try again"

// startExternal sends the browser to the provider.
//
// The values of the request are in the session, and so in the database: a browser has only the
// cookie of the session. The deadline ends sessions that never come back.
func (s *Site) startExternal(w http.ResponseWriter, r *http.Request) error {
	if wait := s.limits.externalByAddress.Take(s.AttemptSubject(r)); wait > 0 {
		return account.TooManyAttempts(wait)
	}
	user, err := s.User(r)
	if err != nil {
		return err
	}
	if user != nil {
		return Redirect(w, r, nextPath(r))
	}
	provider, err := s.external.discover(r.Context())
	if err != nil {
		return s.externalFailure(w, r, err)
	}
	address, values := s.external.newRequest(provider)
	values[externalNext] = nextPath(r)
	for key, value := range values {
		s.sessions.Put(r.Context(), key, value)
	}
	s.sessions.SetDeadline(r.Context(), time.Now().Add(externalTimeout).UTC())
	return Redirect(w, r, address)
}

// finishExternal signs in a person who returns from the provider, or connects the identity to the
// account that asked for it (StartIdentity).
//
// The outcomes of a sign-in:
//
//	another state, or none     400, sign in again
//	nobody was identified      the status of returnedProfile
//	an account is not allowed  403, with an event in the audit trail
//	otherwise                  signed in, and redirected to where the person came from
func (s *Site) finishExternal(w http.ResponseWriter, r *http.Request) error {
	ctx, request := r.Context(), s.takeRequest(r.Context())
	// Without this check an attacker could sign the browser in to the attacker's account
	// (RFC 6749 section 10.12).
	state := r.URL.Query().Get("state")
	if request.state == "" || subtle.ConstantTimeCompare([]byte(request.state), []byte(state)) != 1 {
		s.log.Info("external sign-in refused", "error", "the state is not of this browser, or was used before",
			"has_state", request.state != "", "request_id", model.RequestID(ctx))
		return s.renderSignIn(w, r, http.StatusBadRequest, "This sign-in has expired. Try again")
	}
	if request.connectingUserID != "" {
		return s.finishConnection(w, r, request)
	}
	found, status := s.returnedProfile(r, request)
	if found == nil {
		return s.renderSignIn(w, r, status, externalFailed)
	}
	user, err := s.accounts.OfProfile(ctx, found.account())
	if refused := model.CodeOf(err); refused == model.CodeForbidden || refused == model.CodeInvalid {
		s.logRefusal(ctx, found, err)
		return s.renderSignIn(w, r, http.StatusForbidden, s.sayError(r, err))
	}
	if err != nil {
		return err
	}
	if err := s.startSession(ctx, user, model.ByOpenID); err != nil {
		s.logRefusal(ctx, found, err)
		return err
	}
	if !isLocalPath(request.next) {
		return Redirect(w, r, consolePath)
	}
	return Redirect(w, r, request.next)
}

// logRefusal logs why a person whom the provider has identified was not signed in. It logs what the
// provider said, but not who the person is.
func (s *Site) logRefusal(ctx context.Context, found *profile, err error) {
	s.log.Info("external sign-in refused", "error", err, "issuer", found.Issuer, "has_email", found.Email != "",
		"says_whether_verified", found.Verified != nil, "email_verified", found.account().EmailVerified,
		"request_id", model.RequestID(ctx))
}

// externalFailure logs the error and shows the sign-in page, so that the person can try again.
func (s *Site) externalFailure(w http.ResponseWriter, r *http.Request, err error) error {
	s.log.Warn("external sign-in", "error", err, "request_id", model.RequestID(r.Context()))
	return s.renderSignIn(w, r, http.StatusBadGateway, externalFailed)
}
