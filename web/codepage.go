package web

import (
	"context"
	"crypto/hmac"
	"net/http"
	"time"

	"portico/model"
)

// The keys of the session values between the password and the one-time code. Such a session is not
// signed in.
const (
	pendingUser  = "pending user"
	pendingProof = "pending proof"
)

// pendingTimeout is how long a person may take to enter the code.
const pendingTimeout = 10 * time.Minute

// redirectToCode stores in the session that the password was correct, and redirects to the page
// that asks for the code.
//
// Clear and RenewToken renew the token of the pending session, as startSession does. Somebody who
// put a token into the browser before can then use it for neither half of the sign-in.
func (s *Site) redirectToCode(w http.ResponseWriter, r *http.Request, user *model.User) error {
	ctx := r.Context()
	if err := s.sessions.Clear(ctx); err != nil {
		return err
	}
	if err := s.sessions.RenewToken(ctx); err != nil {
		return err
	}
	s.sessions.Put(ctx, pendingUser, user.ID)
	s.sessions.Put(ctx, pendingProof, sessionFingerprint(user))
	s.sessions.SetDeadline(ctx, time.Now().Add(pendingTimeout).UTC())
	return Redirect(w, r, withNext(codePath, nextPath(r)))
}

// pendingAccount returns the account whose password was entered in this session, or nil.
//
// A password that changes in between makes the fingerprint another one, and the person starts
// again.
func (s *Site) pendingAccount(ctx context.Context) (*model.User, error) {
	id := s.sessions.GetString(ctx, pendingUser)
	if id == "" {
		return nil, nil
	}
	user, err := s.db.Accounts().User(ctx, id)
	if model.CodeOf(err) == model.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !hmac.Equal([]byte(sessionFingerprint(user)), []byte(s.sessions.GetString(ctx, pendingProof))) {
		return nil, nil
	}
	requiresCode, err := s.accounts.RequiresCode(ctx, user.ID)
	if err != nil || !requiresCode { // the codes were turned off: sign in again
		return nil, err
	}
	return user, nil
}

// showCode handles GET /login/code.
func (s *Site) showCode(w http.ResponseWriter, r *http.Request) error {
	user, err := s.pendingAccount(r.Context())
	if err != nil {
		return err
	}
	if user == nil {
		return Redirect(w, r, withNext(signInPath, nextPath(r)))
	}
	return s.renderCode(w, r, http.StatusOK, "")
}

// renderCode renders the form, with the error of the last attempt or "".
func (s *Site) renderCode(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	return s.render(w, r, pageResponse{status, "form", s.withProblem(r, "Enter a code", problem != "")}, formPage{
		Heading: "Enter a code", Text: "Your account asks for a code after the password.",
		Action: withNext(codePath, nextPath(r)), Button: "Sign in",
		Fields: withFocus([]field{{
			Name: "code", Label: "Code", Type: "text", Autocomplete: "one-time-code", Error: problem,
			Hint: "The six digits that your app shows, or one of your recovery codes.",
		}}),
	})
}

// enterCode handles POST /login/code.
func (s *Site) enterCode(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	user, err := s.pendingAccount(ctx)
	if err != nil {
		return err
	}
	if user == nil {
		return Redirect(w, r, withNext(signInPath, nextPath(r)))
	}
	isCorrect, err := s.accounts.UseCode(ctx, user.ID, r.PostForm.Get("code"))
	if model.CodeOf(err) == model.CodeRateLimited {
		return s.renderCode(w, r, http.StatusTooManyRequests, s.tooManyAttempts(w, r, model.AsError(err).RetryAfter))
	}
	if err != nil {
		return err
	}
	if !isCorrect {
		return s.renderCode(w, r, http.StatusUnprocessableEntity, "The code is wrong, or was used before")
	}
	if err := s.startSession(ctx, user, model.ByPassword); err != nil {
		return err
	}
	return Redirect(w, r, nextPath(r))
}
