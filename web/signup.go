package web

import (
	"context"
	"net/http"

	"portico/db"
	"portico/model"
)

// signUpPage is the content of signup.html.
type signUpPage struct {
	Error  string // about the whole form
	Fields []field
	Next   string // the path to redirect to afterwards
	SignIn string // address of the sign-in page
}

// signUpForm contains the values of the form and its errors by field. The key "" is for the error
// of the whole form.
type signUpForm struct {
	email, name, password string
	problems              map[string]string
}

// showSignUp answers GET /signup.
func (s *Site) showSignUp(w http.ResponseWriter, r *http.Request) error {
	if answered, err := s.refuseSignUp(w, r); answered || err != nil {
		return err
	}
	user, err := s.User(r)
	if err != nil {
		return err
	}
	if user != nil {
		return Redirect(w, r, nextPath(r))
	}
	return s.renderSignUp(w, r, http.StatusOK, signUpForm{})
}

// refuseSignUp answers with a redirect, or returns an error, if a stranger may not create an
// account here: sign-up is off, or the first account is not created yet.
func (s *Site) refuseSignUp(w http.ResponseWriter, r *http.Request) (answered bool, err error) {
	if !s.signup {
		return false, model.NotFound("Only the operator of this server can create accounts. Ask them for one")
	}
	required, err := s.requiresFirstCode(r.Context())
	if err != nil || !required {
		return false, err
	}
	return true, s.RedirectToWelcome(w, r)
}

// renderSignUp renders the form with its errors and the sent values, except the password.
func (s *Site) renderSignUp(w http.ResponseWriter, r *http.Request, status int, form signUpForm) error {
	page := signUpPage{
		Error: form.problems[""], Next: nextPath(r), SignIn: withNext(signInPath, nextPath(r)),
		Fields: withFocus(signUpFields(form)),
	}
	return s.render(w, r, status, "signup", withProblem("Create an account", len(form.problems) > 0), page)
}

// strengthHint says which passwords auth.Passwords accepts.
const strengthHint = "At least 8 characters, and not one of the most common passwords."

// signUpFields returns the fields that describe a new account.
func signUpFields(form signUpForm) []field {
	return []field{
		{Name: "email", Label: "E-mail address", Type: "email", Autocomplete: "username",
			Value: form.email, Error: form.problems["email"]},
		{Name: "name", Label: "Name", Type: "text", Autocomplete: "name", Optional: true,
			Value: form.name, Error: form.problems["name"], Hint: "Others see it with your public spaces."},
		{Name: "password", Label: "Password", Type: "password", Autocomplete: "new-password",
			Error: form.problems["password"], Hint: strengthHint},
	}
}

// signUp answers POST /signup. It shows whether an address has an account, which is unavoidable
// without sending mail, so its limit is stricter than the limit of signing in.
func (s *Site) signUp(w http.ResponseWriter, r *http.Request) error {
	if answered, err := s.refuseSignUp(w, r); answered || err != nil {
		return err
	}
	form := signUpForm{email: r.PostForm.Get("email"), name: r.PostForm.Get("name"), password: r.PostForm.Get("password")}
	if wait := s.limits.signUpsByAddress.Take(s.AttemptSubject(r)); wait > 0 {
		form.problems = map[string]string{"": tooManyAttemptsText(w.Header(), wait)}
		return s.renderSignUp(w, r, http.StatusTooManyRequests, form)
	}
	user, err := s.addAccount(r.Context(), &form, s.createUnproven)
	if err != nil {
		return err
	}
	if user == nil {
		return s.renderSignUp(w, r, http.StatusUnprocessableEntity, form)
	}
	if err := s.startSession(r.Context(), user, model.ByPassword); err != nil {
		return err
	}
	return Redirect(w, r, nextPath(r))
}

// createAccount is a function that stores a new account.
type createAccount func(context.Context, model.CreateUser) (*model.User, error)

// newAccount returns a new account with the plan and the quota that the operator has chosen.
func (s *Site) newAccount(email, name string) model.CreateUser {
	return model.CreateUser{Email: email, Name: name, Quota: s.quota, Plan: s.plan}
}

// addAccount creates the account with create. If fields are invalid, it returns nil and puts the
// errors of all fields into the form, so that a person can correct all of them together.
//
// The password is hashed before the account is stored, and for a taken address too: both take the
// same time.
func (s *Site) addAccount(ctx context.Context, form *signUpForm, create createAccount) (*model.User, error) {
	form.problems = map[string]string{}
	in := s.newAccount(form.email, form.name)
	switch err := in.Validate(); {
	case !isStorable(form.email), isAbout("email", err):
		form.problems["email"] = "Enter an e-mail address such as ada@example.com"
	case isAbout("name", err):
		form.problems["name"] = capitalizedMessage(err)
	case err != nil:
		return nil, err
	}
	var err error
	in.PasswordHash, err = s.passwords.Hash(ctx, form.password)
	if model.CodeOf(err) == model.CodeInvalid {
		form.problems["password"] = capitalizedMessage(err)
	} else if err != nil {
		return nil, err
	}
	if len(form.problems) > 0 {
		return nil, nil
	}
	user, err := create(ctx, in)
	if err != nil {
		if model.AsError(err).Reason != model.ReasonTaken {
			return nil, err
		}
		form.problems["email"] = "There is an account with this address. Sign in instead"
		return nil, nil
	}
	return user, nil
}

// createUnproven creates an account whose address is not verified. If the owner of the address
// signs in with a provider later, Site.linkIdentity revokes the access of the person who signed up.
//
// The account, the record that its address is unproven and the mail that asks for a confirmation
// are one transaction: after an error the same address can sign up again.
func (s *Site) createUnproven(ctx context.Context, in model.CreateUser) (*model.User, error) {
	var user *model.User
	err := s.db.InTx(ctx, func(tx *db.DB) (err error) {
		user, err = s.addUnproven(ctx, tx, in)
		return err
	})
	return user, err
}

// addUnproven adds the rows of an account whose address is not verified, in the transaction of tx.
func (s *Site) addUnproven(ctx context.Context, tx *db.DB, in model.CreateUser) (*model.User, error) {
	user, err := tx.CreateUser(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := tx.MarkEmailUnproven(ctx, user.ID); err != nil || !s.sendsMail {
		return user, err
	}
	mail := model.Mail{Kind: model.MailConfirm, UserID: user.ID, To: user.Email}
	return user, tx.EnqueueMail(ctx, s.withLanguage(ctx, mail))
}
