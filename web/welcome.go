package web

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"

	"portico/db"
	"portico/model"
)

// firstAccountCodeLength is the length of the code in characters. With 32 possible characters, the
// code has 130 bits.
const firstAccountCodeLength = 26

// FirstAccountCode returns the code that is required to create the first account of a server that
// other machines can reach. It is derived from the server's secret, so that all replicas accept
// it, also after a restart. It is useless once there is an account.
func FirstAccountCode(secret []byte) (string, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "portico first account", firstAccountCodeLength)
	if err != nil {
		return "", fmt.Errorf("derive the code of the first account: %w", err)
	}
	const characters = "abcdefghijkmnpqrstuvwxyz23456789"
	for i, b := range key {
		key[i] = characters[int(b)%len(characters)]
	}
	return string(key), nil
}

// FirstAccountLink returns the address at which the first account is created, or "" if there is an
// account. The code is in the fragment, which browsers do not send, so that no log contains it.
func (s *Site) FirstAccountLink(ctx context.Context) (string, error) {
	empty, err := s.HasNoAccounts(ctx)
	if err != nil || !empty {
		return "", err
	}
	link := s.base.String() + welcomePath
	if s.firstCode != "" {
		link += "#" + s.firstCode
	}
	return link, nil
}

// HasNoAccounts reports whether the server has no account yet. Once an account was seen, it no
// longer queries the database.
func (s *Site) HasNoAccounts(ctx context.Context) (bool, error) {
	if s.hasAccounts.Load() {
		return false, nil
	}
	some, err := s.db.HasUsers(ctx)
	if some {
		s.hasAccounts.Store(true)
	}
	return !some, err
}

// RedirectToWelcome redirects to the page that creates the first account.
func (s *Site) RedirectToWelcome(w http.ResponseWriter, r *http.Request) error {
	return Redirect(w, r, welcomePath)
}

// requiresFirstCode reports whether creating an account requires the code, because it is the first
// account.
func (s *Site) requiresFirstCode(ctx context.Context) (bool, error) {
	if s.firstCode == "" {
		return false, nil
	}
	return s.HasNoAccounts(ctx)
}

// welcomePage is the content of welcome.html.
type welcomePage struct {
	Error  string // about the whole form
	Fields []field
}

// showWelcome answers GET /welcome.
func (s *Site) showWelcome(w http.ResponseWriter, r *http.Request) error {
	empty, err := s.HasNoAccounts(r.Context())
	if err != nil {
		return err
	}
	if !empty {
		return Redirect(w, r, withNext(signInPath, consolePath))
	}
	return s.renderWelcome(w, r, http.StatusOK, "", signUpForm{})
}

// renderWelcome renders the form. It has no field for the code where the server has no code.
func (s *Site) renderWelcome(w http.ResponseWriter, r *http.Request, status int, code string, form signUpForm) error {
	fields := signUpFields(form)
	if s.firstCode != "" {
		fields = append([]field{{
			Name: "code", Label: "Code", Type: "text", Value: code, Autocomplete: "off", Error: form.problems["code"],
			Hint: "The server printed a link when it started. Open the link, or copy the code at its end.",
		}}, fields...)
	}
	page := welcomePage{Error: form.problems[""], Fields: withFocus(fields)}
	return s.render(w, r, status, "welcome", withProblem("Welcome", len(form.problems) > 0), page)
}

// welcome answers POST /welcome. It creates the first account, even if sign-up is off.
func (s *Site) welcome(w http.ResponseWriter, r *http.Request) error {
	code := r.PostForm.Get("code")
	form := signUpForm{email: r.PostForm.Get("email"), name: r.PostForm.Get("name"), password: r.PostForm.Get("password")}
	if wait := s.limits.signUpsByAddress.Take(s.AttemptSubject(r)); wait > 0 {
		form.problems = map[string]string{"": tooManyAttemptsText(w.Header(), wait)}
		return s.renderWelcome(w, r, http.StatusTooManyRequests, code, form)
	}
	if subtle.ConstantTimeCompare([]byte(code), []byte(s.firstCode)) != 1 {
		form.problems = map[string]string{"code": "This is not the code that the server printed"}
		return s.renderWelcome(w, r, http.StatusForbidden, "", form)
	}
	user, err := s.addAccount(r.Context(), &form, s.createFirst)
	switch {
	case model.CodeOf(err) == model.CodeConflict: // somebody else has just created it
		return Redirect(w, r, withNext(signInPath, consolePath))
	case err != nil:
		return err
	case user == nil:
		return s.renderWelcome(w, r, http.StatusUnprocessableEntity, code, form)
	}
	if err := s.startSession(r.Context(), user, model.ByPassword); err != nil {
		return err
	}
	return Redirect(w, r, consolePath)
}

// createFirst creates the first account, or returns CodeConflict if there is an account. The
// transaction holds a lock, so that concurrent calls cannot both create one.
func (s *Site) createFirst(ctx context.Context, in model.CreateUser) (*model.User, error) {
	var user *model.User
	err := s.db.InTx(ctx, func(tx *db.DB) (err error) {
		if err := tx.LockFirstUser(ctx); err != nil {
			return err
		}
		user, err = s.addUnproven(ctx, tx, in)
		return err
	})
	return user, err
}
