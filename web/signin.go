package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"portico/auth"
	"portico/model"
)

// wrongCredentials is the text for an unknown account, a wrong password, and an account
// without a password: it must not show which accounts exist.
const wrongCredentials = "E-mail address or password is wrong" //nolint:gosec // a text for people, no credential

// signInPage is the content of login.html.
type signInPage struct {
	Error    string // about the whole form
	Fields   []field
	Next     string // the path to go to afterwards
	Forgot   string // address of the page that mails a link for a new password; "" without mail
	SignUp   string // address of the sign-up page; "" if it is switched off
	External string // address that starts an external sign-in; "" without a provider
	Provider string // host of the provider
	Passkeys bool   // whether to offer passkeys
}

// showSignIn answers GET /login. A browser that is signed in is redirected at once.
func (s *Site) showSignIn(w http.ResponseWriter, r *http.Request) error {
	user, err := s.User(r)
	if err != nil {
		return err
	}
	if user != nil {
		return Redirect(w, r, next(r))
	}
	return s.respondSignIn(w, r, http.StatusOK, "")
}

// respondSignIn shows the form with the error of the last try, or "".
func (s *Site) respondSignIn(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	email := field{
		Name: "email", Label: "E-mail address", Type: "email", Autocomplete: "username",
	}
	if r.Method == http.MethodPost {
		email.Value = r.PostForm.Get("email")
	}
	page := signInPage{
		Error: problem, Next: next(r),
		Fields: focused([]field{
			email, {Name: "password", Label: "Password", Type: "password", Autocomplete: "current-password"},
		}),
	}
	if s.passkeys != nil {
		page.Passkeys = true
		allowFetch(w.Header())
	}
	if s.sendsMail {
		page.Forgot = forgotPath
	}
	if s.signup {
		page.SignUp = withNext(signUpPath, page.Next)
	}
	if s.external != nil {
		page.External, page.Provider = withNext(externalPath, page.Next), s.external.host
	}
	return s.show(w, r, status, "login", withProblem("Sign in", problem), page)
}

// signIn answers POST /login. It counts the attempt before it checks the password, because
// attempts run in parallel. A success clears the failures for this account and takes back
// its own count for the address, and no more: a guesser who has an account gains nothing by
// signing in between guesses.
func (s *Site) signIn(w http.ResponseWriter, r *http.Request) error {
	ctx, email, ip := r.Context(), accountName(r.PostForm.Get("email")), s.Sender(r)
	if wait := s.takeSignIn(email, ip); wait > 0 {
		SetRetryAfter(w.Header(), wait)
		return s.respondSignIn(w, r, http.StatusTooManyRequests, "Too many attempts. Try again in "+minutes(wait))
	}
	user, err := s.authenticate(ctx, email, r.PostForm.Get("password"))
	if err != nil {
		return err
	}
	if user == nil {
		if err := s.recordFailure(ctx, email); err != nil {
			return err
		}
		return s.respondSignIn(w, r, http.StatusUnprocessableEntity, wrongCredentials)
	}
	s.limits.byGuesser.Forget(guesser(email, ip))
	s.limits.byAddress.Refund(ip)
	codes, err := s.db.OneTimeCodes(ctx, user.ID)
	if err != nil {
		return err
	}
	if codes != nil {
		return s.askForCode(w, r, user)
	}
	if err := s.startSession(ctx, user, model.ByPassword); err != nil {
		return err
	}
	return Redirect(w, r, next(r))
}

// takeSignIn counts the attempt for the address, and for the address with this account, and
// returns how long to wait if there were too many. Unknown accounts count as well: an answer
// must not show whether an account exists.
func (s *Site) takeSignIn(email, ip string) time.Duration {
	if wait := s.limits.byAddress.Take(ip); wait > 0 {
		return wait
	}
	return s.limits.byGuesser.Take(guesser(email, ip))
}

// guesser returns the key for attempts at one account from one address.
func guesser(email, ip string) string { return ip + " " + email }

// recordFailure records a failed sign-in, with the account if it exists. The name of an
// unknown account is not kept: people type their password there by mistake. Both cases do the
// same work, so that the time does not show whether the account exists.
func (s *Site) recordFailure(ctx context.Context, email string) error {
	user, err := s.named(ctx, email)
	if err != nil {
		return err
	}
	return s.db.AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventSignInFailed, user.ID).By(model.ByPassword))
}

// named returns the account with this address, or an empty account.
func (s *Site) named(ctx context.Context, email string) (*model.User, error) {
	user := &model.User{}
	if _, err := model.NormalizeEmail(email); err == nil && isStorable(email) {
		user, err = s.db.UserByEmail(ctx, email)
		if err != nil && model.CodeOf(err) != model.CodeNotFound {
			return nil, err
		}
	}
	return user, nil
}

// authenticate returns the user with this address and password, or nil. It takes the same
// time for an account that does not exist: Match compares with a dummy hash then, and a text
// that cannot be a password is refused before the account is read.
func (s *Site) authenticate(ctx context.Context, email, password string) (*model.User, error) {
	if !auth.CanBePassword(password) {
		return nil, nil
	}
	user, err := s.named(ctx, email)
	if err != nil {
		return nil, err
	}
	matches, err := s.passwords.Match(ctx, password, user.PasswordHash)
	if err != nil || !matches {
		return nil, err
	}
	return user, nil
}

// accountName returns the normalized address, or a text that no account has.
func accountName(email string) string {
	if normal, err := model.NormalizeEmail(email); err == nil {
		return normal
	}
	return strings.ToLower(strings.TrimSpace(email))
}

// signOut answers POST /logout. It deletes the session from the database, so a copy of the
// cookie is worthless too.
func (s *Site) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.sessions.Destroy(r.Context()); err != nil {
		return err
	}
	return Redirect(w, r, withNext(signInPath, next(r)))
}

// withProblem returns the title, with "Error" at its start if there is a problem: screen
// readers read the title first.
func withProblem(title, problem string) string {
	if problem == "" {
		return title
	}
	return "Error: " + title
}

// minutes returns the wait in words, rounded up.
func minutes(wait time.Duration) string {
	n := int((wait + time.Minute - 1) / time.Minute)
	if n <= 1 {
		return "a minute"
	}
	return strconv.Itoa(n) + " minutes"
}
