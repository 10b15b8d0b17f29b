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

// welcomePath is the page that creates the first account of a server.
const welcomePath = "/welcome"

// consolePath is where people publish and look after their spaces.
const consolePath = "/console"

// firstCodeLength is the length of a code in characters. Each is one of 32: 130 bits.
const firstCodeLength = 26

// FirstCode returns the code that the first account of a server needs where other machines
// reach it. It is derived from the server's secret, so all replicas accept it, after a restart
// as well; it is worth nothing once there is an account.
func FirstCode(secret []byte) (string, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "portico first account", firstCodeLength)
	if err != nil {
		return "", fmt.Errorf("derive the code of the first account: %w", err)
	}
	const characters = "abcdefghijkmnpqrstuvwxyz23456789"
	for i, b := range key {
		key[i] = characters[int(b)%len(characters)]
	}
	return string(key), nil
}

// FirstAccountLink returns the address at which the first account is created, or "" if there
// is an account. The code is behind a "#", so browsers do not send it and no log has it.
func (s *Site) FirstAccountLink(ctx context.Context) (string, error) {
	empty, err := s.Empty(ctx)
	if err != nil || !empty {
		return "", err
	}
	link := s.base.String() + welcomePath
	if s.firstCode != "" {
		link += "#" + s.firstCode
	}
	return link, nil
}

// Empty reports whether the server has no account yet. Accounts stay, so once there is one,
// Empty does not ask the database again.
func (s *Site) Empty(ctx context.Context) (bool, error) {
	if s.peopled.Load() {
		return false, nil
	}
	some, err := s.db.HasUsers(ctx)
	if some {
		s.peopled.Store(true)
	}
	return !some, err
}

// ToWelcome sends the browser to the page that creates the first account.
func (s *Site) ToWelcome(w http.ResponseWriter, r *http.Request) error {
	return Redirect(w, r, welcomePath)
}

// refusesStrangers reports whether the next account must be created with the code.
func (s *Site) refusesStrangers(ctx context.Context) (bool, error) {
	if s.firstCode == "" {
		return false, nil
	}
	return s.Empty(ctx)
}

// welcomePage is the content of welcome.html.
type welcomePage struct {
	Error  string // about the whole form
	Fields []field
}

// showWelcome answers GET /welcome.
func (s *Site) showWelcome(w http.ResponseWriter, r *http.Request) error {
	empty, err := s.Empty(r.Context())
	if err != nil {
		return err
	}
	if !empty {
		return Redirect(w, r, withNext(signInPath, consolePath))
	}
	return s.respondWelcome(w, r, http.StatusOK, "", signUpForm{})
}

// respondWelcome shows the form with its errors.
func (s *Site) respondWelcome(w http.ResponseWriter, r *http.Request, status int, code string, form signUpForm) error {
	fields := signUpFields(form)
	if s.firstCode != "" {
		fields = append([]field{{
			Name: "code", Label: "Code", Type: "text", Value: code, Autocomplete: "off", Error: form.problems["code"],
			Hint: "The server printed a link when it started. Open the link, or copy the code at its end.",
		}}, fields...)
	}
	page := welcomePage{Error: form.problems[""], Fields: focused(fields)}
	problem := page.Error
	for _, text := range form.problems {
		problem = text
	}
	return s.show(w, r, status, "welcome", withProblem("Welcome", problem), page)
}

// welcome answers POST /welcome: it creates the first account, also where sign-up is
// switched off.
func (s *Site) welcome(w http.ResponseWriter, r *http.Request) error {
	code := r.PostForm.Get("code")
	form := signUpForm{email: r.PostForm.Get("email"), name: r.PostForm.Get("name"), password: r.PostForm.Get("password")}
	if wait := s.limits.signUps.Take(s.Sender(r)); wait > 0 {
		SetRetryAfter(w.Header(), wait)
		form.problems = map[string]string{"": "Too many attempts. Try again in " + minutes(wait)}
		return s.respondWelcome(w, r, http.StatusTooManyRequests, code, form)
	}
	if subtle.ConstantTimeCompare([]byte(code), []byte(s.firstCode)) != 1 {
		form.problems = map[string]string{"code": "This is not the code that the server printed"}
		return s.respondWelcome(w, r, http.StatusForbidden, "", form)
	}
	user, err := s.addAccount(r.Context(), &form, s.createFirst)
	switch {
	case model.CodeOf(err) == model.CodeConflict: // somebody was faster
		return Redirect(w, r, withNext(signInPath, consolePath))
	case err != nil:
		return err
	case user == nil:
		return s.respondWelcome(w, r, http.StatusUnprocessableEntity, code, form)
	}
	if err := s.startSession(r.Context(), user, model.ByPassword); err != nil {
		return err
	}
	return Redirect(w, r, consolePath)
}

// createFirst creates an account in a transaction that holds the lock of the first account, or
// returns CodeConflict if there is an account.
func (s *Site) createFirst(ctx context.Context, in model.CreateUser) (*model.User, error) {
	var user *model.User
	err := s.db.InTx(ctx, func(tx *db.DB) error {
		if err := tx.LockFirstUser(ctx); err != nil {
			return err
		}
		var err error
		if user, err = tx.CreateUser(ctx, in); err != nil {
			return err
		}
		return tx.AddUnproven(ctx, user.ID)
	})
	return user, err
}
