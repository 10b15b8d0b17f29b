package web

import (
	"net/http"

	"portico/auth/account"
	"portico/model"
)

// passkeyFailed is the message for every passkey that is not accepted. The log has the cause.
const passkeyFailed = "The passkey was not accepted. Try again, or use your password"

// startPasskeySignIn responds to POST /login/passkey/start with the options for the browser.
func (s *Site) startPasskeySignIn(w http.ResponseWriter, r *http.Request) error {
	if wait := s.limits.externalByAddress.Take(s.AttemptSubject(r)); wait > 0 {
		return account.TooManyAttempts(wait)
	}
	options, err := s.accounts.StartPasskeySignIn(r.Context())
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(options) // fails only when the browser has disconnected
	return nil
}

// passkeySignIn handles POST /login/passkey, whose form contains the response of the browser.
//
// A failed attempt counts for the address, as a wrong password does.
func (s *Site) passkeySignIn(w http.ResponseWriter, r *http.Request) error {
	ctx, address := r.Context(), s.AttemptSubject(r)
	if wait := s.limits.byAddress.Take(address); wait > 0 {
		return s.renderSignIn(w, r, http.StatusTooManyRequests, s.tooManyAttempts(w, r, wait))
	}
	user, err := s.accounts.AuthenticatePasskey(ctx, []byte(r.PostForm.Get("credential")))
	if err != nil {
		return err
	}
	if user == nil {
		return s.renderSignIn(w, r, http.StatusUnprocessableEntity, passkeyFailed)
	}
	s.limits.byAddress.Refund(address)
	if err := s.startSession(ctx, user, model.ByPasskey); err != nil {
		return err
	}
	return Redirect(w, r, nextPath(r))
}
