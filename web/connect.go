package web

import (
	"context"
	"crypto/hmac"
	"net/http"

	"portico/db"
	"portico/model"
)

// IdentityProvider returns the issuer of the provider that accounts can connect, or "".
func (s *Site) IdentityProvider() string {
	if s.external == nil {
		return ""
	}
	return s.external.options.Issuer
}

// StartIdentity returns the address at the provider where the owner of the caller's account shows
// who they are there. The provider then sends the browser to finishExternal, which connects the
// identity. Call RequireProof first.
//
// The values of the request are stored in the caller's session, and with them the account. So only
// the browser that asked can finish, while it is signed in to the same account.
func (s *Site) StartIdentity(ctx context.Context, caller *model.Caller) (string, error) {
	if s.external == nil {
		return "", model.Forbidden("This server has no external provider")
	}
	provider, err := s.external.discover(ctx)
	if err != nil {
		s.log.Warn("connect an identity", "error", err, "request_id", model.RequestID(ctx))
		return "", &model.Error{Code: model.CodeConflict, Message: "The external provider does not answer. Try again later"}
	}
	address, values := s.external.newRequest(provider)
	err = s.db.InTx(ctx, func(tx *db.DB) error {
		user, err := tx.Accounts().LockUser(ctx, caller.UserID)
		if err != nil {
			return err
		}
		values[connectUser], values[connectStart] = user.ID, s.now().Unix()
		return addToSession(ctx, tx, caller.Session, user, values)
	})
	if err != nil {
		return "", err
	}
	return address, nil
}

// finishConnection connects the identity of a person who returns from the provider to the account
// that asked for it. The state of the request is correct, and has been used up.
func (s *Site) finishConnection(w http.ResponseWriter, r *http.Request, request externalRequest) error {
	if s.now().Sub(request.connectStart) > externalTimeout {
		return s.renderNotConnected(w, r, http.StatusBadRequest, "This took too long. Try again")
	}
	found, status := s.returnedProfile(r, request)
	if found == nil {
		return s.renderNotConnected(w, r, status, externalFailed)
	}
	userID := request.connectingUserID
	err := s.accounts.ConnectIdentity(r.Context(), userID, found.account(), func(tx *db.DB, user *model.User) error {
		return s.checkSession(r.Context(), tx, user)
	})
	switch model.CodeOf(err) {
	case model.CodeUnauthenticated, model.CodeNotFound: // signed out, or deleted
		return Redirect(w, r, withNext(signInPath, consoleAccountPath))
	case model.CodeForbidden:
		s.logRefusal(r.Context(), found, err)
		return s.renderNotConnected(w, r, http.StatusForbidden, s.sayError(r, err))
	}
	if err != nil {
		return err
	}
	return Redirect(w, r, consoleAccountPath)
}

// checkSession returns nil if the session of the request is signed in to the account, in a
// transaction that has locked the account.
func (s *Site) checkSession(ctx context.Context, tx *db.DB, user *model.User) error {
	_, isActive, err := tx.SignIns().Session(ctx, hashToken(s.sessions.Token(ctx)))
	if err != nil {
		return err
	}
	proof := s.sessions.GetString(ctx, sessionProof)
	if !isActive || s.sessions.GetString(ctx, sessionUser) != user.ID || !hmac.Equal([]byte(sessionFingerprint(user)), []byte(proof)) {
		return errSignedOut()
	}
	return nil
}

// renderNotConnected renders the page that says why no identity was connected.
func (s *Site) renderNotConnected(w http.ResponseWriter, r *http.Request, status int, text string) error {
	return s.render(w, r, pageResponse{status, "message", "The sign-in was not connected"}, messagePage{
		Heading: "The sign-in was not connected", Text: text,
		Address: consoleAccountPath, Link: "To your account",
	})
}
