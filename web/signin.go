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

// wrongCredentials is said of an unknown account, a wrong password and an
// account without one alike.
const wrongCredentials = "E-mail address or password is wrong" //nolint:gosec // a text for people, no credential

// signInPage is what the page of that name shows.
type signInPage struct {
	Error    string // about the whole form
	Fields   []field
	Next     string // where to go afterwards; a path of ours
	SignUp   string // address of the sign-up page; "" when it is switched off
	External string // address that begins an external sign-in; "" when there is none
	Provider string // who External leads to
}

// showSignIn answers GET /login. Who is signed in already goes on at once.
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

// respondSignIn shows the form, with what was wrong with the last try.
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
	if s.signup {
		page.SignUp = withNext(signUpPath, page.Next)
	}
	if s.external != nil {
		page.External, page.Provider = withNext(externalPath, page.Next), s.external.host
	}
	return s.show(w, status, "login", withProblem("Sign in", problem), page)
}

// signIn answers POST /login. The attempt is counted before the password is
// looked at, and not counted any more once it turns out to be the owner's: a
// guesser who has an account too gains nothing by signing in between guesses.
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
	s.limits.byAddress.GiveBack(ip)
	if err := s.startSession(ctx, user, model.ByPassword); err != nil {
		return err
	}
	return Redirect(w, r, next(r))
}

// takeSignIn counts the attempt against its sender: for this account, whether
// there is one of that name or not, and for all accounts.
func (s *Site) takeSignIn(email, ip string) time.Duration {
	if wait := s.limits.byAddress.Take(ip); wait > 0 {
		return wait
	}
	return s.limits.byGuesser.Take(guesser(email, ip))
}

// guesser is the key of who tries an account from an address.
func guesser(email, ip string) string { return ip + " " + email }

// recordFailure notes a failed sign-in, with the account if there is one of that
// name. Another name is not kept: people type their password there by mistake. What
// it takes is the same for both, so that its time says nothing.
func (s *Site) recordFailure(ctx context.Context, email string) error {
	user, err := s.named(ctx, email)
	if err != nil {
		return err
	}
	return s.db.AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventSignInFailed, user.ID).By(model.ByPassword))
}

// named returns the account with this address, or an empty one.
func (s *Site) named(ctx context.Context, email string) (*model.User, error) {
	user := &model.User{}
	if _, err := model.NormalizeEmail(email); err == nil && plain(email) {
		user, err = s.db.UserByEmail(ctx, email)
		if err != nil && model.CodeOf(err) != model.CodeNotFound {
			return nil, err
		}
	}
	return user, nil
}

// authenticate returns whose address and password these are, or nil. It takes
// the same time for an account that is not there: what cannot be a password is
// refused before one is looked for.
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

// accountName returns the address in the one form of accounts, or something that
// is no account's.
func accountName(email string) string {
	if normal, err := model.NormalizeEmail(email); err == nil {
		return normal
	}
	return strings.ToLower(strings.TrimSpace(email))
}

// signOut answers POST /logout. The session ends in the database: a copy of the
// cookie opens nothing any more.
func (s *Site) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.sessions.Destroy(r.Context()); err != nil {
		return err
	}
	return Redirect(w, r, withNext(signInPath, next(r)))
}

// withProblem puts first in the title what a screen reader should say first.
func withProblem(title, problem string) string {
	if problem == "" {
		return title
	}
	return "Error: " + title
}

// minutes writes a wait for people.
func minutes(wait time.Duration) string {
	n := int((wait + time.Minute - 1) / time.Minute)
	if n <= 1 {
		return "a minute"
	}
	return strconv.Itoa(n) + " minutes"
}
