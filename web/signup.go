package web

import (
	"errors"
	"net/http"

	"portico/auth/account"
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
	account.Applicant
	problems map[string]string
}

// readSignUpForm returns the form as a browser has sent it. Nothing is validated yet.
func readSignUpForm(r *http.Request) signUpForm {
	return signUpForm{Applicant: account.Applicant{
		Email: r.PostForm.Get("email"), Name: r.PostForm.Get("name"), Password: r.PostForm.Get("password"),
	}}
}

// setProblems puts the errors of the fields into the form, in the language.
func (f *signUpForm) setProblems(l *language, problems account.Problems) {
	f.problems = map[string]string{}
	for field, err := range problems {
		f.problems[field] = l.sayError(err)
	}
}

// showSignUp handles GET /signup.
func (s *Site) showSignUp(w http.ResponseWriter, r *http.Request) error {
	if responded, err := s.refuseSignUp(w, r); responded || err != nil {
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

// refuseSignUp responds with a redirect, or returns an error, if a stranger may not create an
// account here: sign-up is off, or the first account is not created yet.
func (s *Site) refuseSignUp(w http.ResponseWriter, r *http.Request) (responded bool, err error) {
	err = s.accounts.MaySignUp(r.Context())
	if errors.Is(err, account.ErrNeedsFirstCode) {
		return true, s.RedirectToWelcome(w, r)
	}
	return false, err
}

// renderSignUp renders the form with its errors and the sent values, except the password.
func (s *Site) renderSignUp(w http.ResponseWriter, r *http.Request, status int, form signUpForm) error {
	page := signUpPage{
		Error: form.problems[""], Next: nextPath(r), SignIn: withNext(signInPath, nextPath(r)),
		Fields: withFocus(signUpFields(form)),
	}
	return s.render(w, r, pageResponse{status, "signup", s.withProblem(r, "Create an account", len(form.problems) > 0)}, page)
}

// strengthHint says which passwords auth.Passwords accepts.
const strengthHint = "At least 8 characters, and not one of the most common passwords."

// signUpFields returns the fields that describe a new account.
func signUpFields(form signUpForm) []field {
	return []field{
		{Name: "email", Label: "E-mail address", Type: "email", Autocomplete: "username",
			Value: form.Email, Error: form.problems["email"]},
		{Name: "name", Label: "Name", Type: "text", Autocomplete: "name",
			Value: form.Name, Error: form.problems["name"], Hint: "Others see it with your public spaces. It need not be your real name."},
		{Name: "password", Label: "Password", Type: "password", Autocomplete: "new-password",
			Error: form.problems["password"], Hint: strengthHint},
	}
}

// signUp handles POST /signup. It shows whether an address has an account, which is unavoidable
// without sending mail, so its limit is stricter than the limit of signing in.
func (s *Site) signUp(w http.ResponseWriter, r *http.Request) error {
	if responded, err := s.refuseSignUp(w, r); responded || err != nil {
		return err
	}
	form := readSignUpForm(r)
	if wait := s.limits.signUpsByAddress.Take(s.AttemptSubject(r)); wait > 0 {
		form.problems = map[string]string{"": s.tooManyAttempts(w, r, wait)}
		return s.renderSignUp(w, r, http.StatusTooManyRequests, form)
	}
	user, problems, err := s.accounts.SignUp(r.Context(), form.Applicant)
	if err != nil {
		return err
	}
	if user == nil {
		form.setProblems(s.pages.language(r), problems)
		return s.renderSignUp(w, r, http.StatusUnprocessableEntity, form)
	}
	if err := s.startSession(r.Context(), user, model.ByPassword); err != nil {
		return err
	}
	return Redirect(w, r, nextPath(r))
}
