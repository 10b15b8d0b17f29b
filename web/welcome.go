package web

import (
	"context"
	"net/http"

	"portico/model"
)

// FirstAccountLink returns the address at which the first account is created, or "" if there is an
// account. The code is in the fragment, which browsers do not send, so that no log contains it.
func (s *Site) FirstAccountLink(ctx context.Context) (string, error) {
	empty, err := s.HasNoAccounts(ctx)
	if err != nil || !empty {
		return "", err
	}
	link := s.base.String() + welcomePath
	if code := s.accounts.FirstCode(); code != "" {
		link += "#" + code
	}
	return link, nil
}

// HasNoAccounts reports whether the server has no account yet.
func (s *Site) HasNoAccounts(ctx context.Context) (bool, error) { return s.accounts.IsEmpty(ctx) }

// RedirectToWelcome redirects to the page that creates the first account.
func (s *Site) RedirectToWelcome(w http.ResponseWriter, r *http.Request) error {
	return Redirect(w, r, welcomePath)
}

// welcomePage is the content of welcome.html.
type welcomePage struct {
	Error  string // about the whole form
	Fields []field
}

// showWelcome handles GET /welcome.
func (s *Site) showWelcome(w http.ResponseWriter, r *http.Request) error {
	empty, err := s.HasNoAccounts(r.Context())
	if err != nil {
		return err
	}
	if !empty {
		return Redirect(w, r, signInPath)
	}
	return s.renderWelcome(w, r, http.StatusOK, "", signUpForm{})
}

// renderWelcome renders the form. It has no field for the code where the server has no code.
func (s *Site) renderWelcome(w http.ResponseWriter, r *http.Request, status int, code string, form signUpForm) error {
	fields := signUpFields(form)
	if s.accounts.FirstCode() != "" {
		fields = append([]field{{
			Name: "code", Label: "Code", Type: "text", Value: code, Autocomplete: "off", Error: form.problems["code"],
			Hint: "The server printed a link when it started. Open the link, or copy the code at its end.",
		}}, fields...)
	}
	page := welcomePage{Error: form.problems[""], Fields: withFocus(fields)}
	return s.render(w, r, pageResponse{status, "welcome", s.withProblem(r, "Welcome", len(form.problems) > 0)}, page)
}

// welcome handles POST /welcome. It creates the first account, even if sign-up is off. An attempt
// counts as a sign-up, even with a wrong code, so the address cannot try one code after another.
func (s *Site) welcome(w http.ResponseWriter, r *http.Request) error {
	code := r.PostForm.Get("code")
	form := readSignUpForm(r)
	if wait := s.limits.signUpsByAddress.Take(s.AttemptSubject(r)); wait > 0 {
		form.problems = map[string]string{"": s.tooManyAttempts(w, r, wait)}
		return s.renderWelcome(w, r, http.StatusTooManyRequests, code, form)
	}
	user, problems, err := s.accounts.CreateFirst(r.Context(), code, form.Applicant)
	form.setProblems(s.pages.language(r), problems)
	switch {
	case model.CodeOf(err) == model.CodeConflict: // somebody else has just created it
		return Redirect(w, r, signInPath)
	case err != nil:
		return err
	case problems["code"] != nil: // the code is not repeated: the person copies it again
		return s.renderWelcome(w, r, http.StatusForbidden, "", form)
	case user == nil:
		return s.renderWelcome(w, r, http.StatusUnprocessableEntity, code, form)
	}
	if err := s.startSession(r.Context(), user, model.ByPassword); err != nil {
		return err
	}
	return Redirect(w, r, consolePath)
}
