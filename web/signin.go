package web

import (
	"net/http"
	"strings"
	"time"

	"portico/model"
)

// wrongCredentials is the message for an unknown account, a wrong password and an account without a
// password. It must not show which accounts exist.
const wrongCredentials = "E-mail address or password is wrong" //nolint:gosec // a text for people, no credential

// signInPage is the content of login.html.
type signInPage struct {
	Error    string // about the whole form
	Fields   []field
	Next     string // the path to redirect to afterwards
	Forgot   string // address of the page that mails a link for a new password; "" without mail
	SignUp   string // address of the sign-up page; "" if sign-up is off
	External string // address that starts an external sign-in; "" without a provider
	Provider string // host of the provider
	Passkeys bool   // whether to offer passkeys
}

// showSignIn handles GET /login. It redirects a browser that is signed in.
func (s *Site) showSignIn(w http.ResponseWriter, r *http.Request) error {
	user, err := s.User(r)
	if err != nil {
		return err
	}
	if user != nil {
		return Redirect(w, r, nextPath(r))
	}
	return s.renderSignIn(w, r, http.StatusOK, "")
}

// renderSignIn renders the form, with the error of the last attempt or "".
func (s *Site) renderSignIn(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	email := field{
		Name: "email", Label: "E-mail address", Type: "email", Autocomplete: "username",
	}
	if r.Method == http.MethodPost {
		email.Value = r.PostForm.Get("email")
	}
	page := signInPage{
		Error: problem, Next: nextPath(r),
		Fields: withFocus([]field{
			email, {Name: "password", Label: "Password", Type: "password", Autocomplete: "current-password"},
		}),
	}
	if s.accounts.HasPasskeys() {
		page.Passkeys = true
		allowFetch(w.Header())
	}
	if s.accounts.SendsMail() {
		page.Forgot = forgotPath
	}
	if s.accounts.HasSignup() {
		page.SignUp = withNext(signUpPath, page.Next)
	}
	if s.external != nil {
		page.External, page.Provider = withNext(externalPath, page.Next), s.external.host
	}
	return s.render(w, r, pageResponse{status, "login", s.withProblem(r, "Sign in", problem != "")}, page)
}

// signIn handles POST /login. It counts the attempt before it checks the password, because attempts
// run in parallel. A success resets the failures of this account from this address. Of the failures
// of the address it removes only its own count, so that an attacker cannot reset them with an
// account of their own.
//
// The steps: count, compare, refund, then the one-time code if the account asks for one, then the
// session.
func (s *Site) signIn(w http.ResponseWriter, r *http.Request) error {
	ctx, email, ip := r.Context(), normalisedEmail(r.PostForm.Get("email")), s.AttemptSubject(r)
	if wait := s.countSignIn(email, ip); wait > 0 {
		return s.renderSignIn(w, r, http.StatusTooManyRequests, s.tooManyAttempts(w, r, wait))
	}
	user, err := s.accounts.Authenticate(ctx, email, r.PostForm.Get("password"))
	if err != nil {
		return err
	}
	if user == nil {
		return s.renderSignIn(w, r, http.StatusUnprocessableEntity, wrongCredentials)
	}
	s.limits.byAccountAndAddress.Forget(accountAndAddress(email, ip))
	requiresCode, err := s.accounts.RequiresCode(ctx, user.ID)
	if err != nil {
		return err
	}
	if requiresCode {
		s.limits.byAddress.Refund(ip)
		return s.redirectToCode(w, r, user)
	}
	// A sign-in that is one too many for the account stays in the count of the address, because it
	// has taken as long as a wrong password.
	if err := s.startSession(ctx, user, model.ByPassword); err != nil {
		return err
	}
	s.limits.byAddress.Refund(ip)
	return Redirect(w, r, nextPath(r))
}

// countSignIn counts the attempt for the address, and for the address with this account. It returns
// the time to wait if there were too many, or 0. A refused attempt counts for neither: a program
// that repeats an old password must not lock out everybody behind its address. It also counts
// unknown accounts, because the response must not show whether an account exists.
func (s *Site) countSignIn(email, ip string) time.Duration {
	if wait := s.limits.byAddress.Take(ip); wait > 0 {
		return wait
	}
	wait := s.limits.byAccountAndAddress.Take(accountAndAddress(email, ip))
	if wait > 0 { // no password is compared, so the address has made no failure
		s.limits.byAddress.Refund(ip)
	}
	return wait
}

// accountAndAddress returns the key of attempts to sign in to one account from one address.
func accountAndAddress(email, ip string) string { return ip + " " + email }

// normalisedEmail returns the normalised address. For an invalid address it returns a text that no
// account has.
func normalisedEmail(email string) string {
	if normal, err := model.NormaliseEmail(email); err == nil {
		return normal
	}
	return strings.ToLower(strings.TrimSpace(email))
}

// signOut handles POST /logout. It deletes the session from the database, so that a copy of the
// cookie is useless too.
func (s *Site) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.sessions.Destroy(r.Context()); err != nil {
		return err
	}
	return Redirect(w, r, withNext(signInPath, nextPath(r)))
}
