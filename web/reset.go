package web

import (
	"net/http"
	"net/url"

	"portico/model"
)

// showForgot handles GET /login/forgot.
func (s *Site) showForgot(w http.ResponseWriter, r *http.Request) error {
	return s.renderForgot(w, r, http.StatusOK, "", "")
}

// renderForgot renders the form with the address that the person entered.
func (s *Site) renderForgot(w http.ResponseWriter, r *http.Request, status int, email, problem string) error {
	return s.render(w, r, pageResponse{status, "form", s.withProblem(r, "Forgot the password?", problem != "")}, formPage{
		Heading: "Forgot the password?", Text: "Enter your e-mail address. We will send you a link to set a new password.",
		Error: problem, Action: forgotPath, Button: "Send the link",
		Fields: withFocus([]field{{Name: "email", Label: "E-mail address", Type: "email", Autocomplete: "username", Value: email}}),
	})
}

// forgot handles POST /login/forgot. The response and its time are the same for every address.
func (s *Site) forgot(w http.ResponseWriter, r *http.Request) error {
	entered := r.PostForm.Get("email")
	if wait := s.limits.mailsByAddress.Take(s.AttemptSubject(r)); wait > 0 {
		return s.renderForgot(w, r, http.StatusTooManyRequests, entered, s.tooManyAttempts(w, r, wait))
	}
	err := s.accounts.RequestReset(r.Context(), entered, s.pages.language(r).tag)
	if model.CodeOf(err) == model.CodeInvalid {
		return s.renderForgot(w, r, http.StatusUnprocessableEntity, entered, s.sayError(r, err))
	}
	if err != nil {
		return err
	}
	return s.render(w, r, pageResponse{http.StatusOK, "message", "Check your e-mail"}, messagePage{
		Heading: "Check your e-mail", Address: signInPath, Link: "Back to sign in",
		Text: "If there is an account with this address, a mail with a link is on its way. The link works for an hour.",
	})
}

// showReset handles GET /login/reset. It changes nothing, because mail programs open links to check
// them.
func (s *Site) showReset(w http.ResponseWriter, r *http.Request) error {
	works, err := s.accounts.CanReset(r.Context(), r.FormValue("token"))
	if err != nil {
		return err
	}
	if !works {
		return s.renderInvalidLink(w, r, "Ask for a new one", forgotPath)
	}
	return s.renderReset(w, r, http.StatusOK, "")
}

// renderInvalidLink renders the page for a mailed link that is no longer valid.
func (s *Site) renderInvalidLink(w http.ResponseWriter, r *http.Request, link, address string) error {
	return s.render(w, r, pageResponse{http.StatusNotFound, "message", "This link does not work any more"}, messagePage{
		Heading: "This link does not work any more", Text: "It was used, replaced by a newer one, or is too old.",
		Address: address, Link: link,
	})
}

// renderReset renders the form for the new password, with the problem of the last attempt or "".
// The address of the form keeps the token.
func (s *Site) renderReset(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	return s.render(w, r, pageResponse{status, "form", s.withProblem(r, "Set a new password", problem != "")}, formPage{
		Heading: "Set a new password", Button: "Set the password",
		Text:   "This signs you out of all browsers and revokes your API key.",
		Action: resetPath + "?" + url.Values{"token": {r.FormValue("token")}}.Encode(),
		Fields: withFocus([]field{{
			Name: "password", Label: "New password", Type: "password", Autocomplete: "new-password", Error: problem,
			Hint: strengthHint,
		}}),
	})
}

// reset handles POST /login/reset. It does not sign the person in, because the account may require
// a one-time code too.
//
// The attempt counts, because hashing a password takes long on purpose.
func (s *Site) reset(w http.ResponseWriter, r *http.Request) error {
	if wait := s.limits.mailsByAddress.Take(s.AttemptSubject(r)); wait > 0 {
		return s.renderReset(w, r, http.StatusTooManyRequests, s.tooManyAttempts(w, r, wait))
	}
	err := s.accounts.ResetPassword(r.Context(), r.URL.Query().Get("token"), r.PostForm.Get("password"))
	if model.CodeOf(err) == model.CodeInvalid {
		return s.renderReset(w, r, http.StatusUnprocessableEntity, s.sayError(r, err))
	}
	if model.CodeOf(err) == model.CodeNotFound {
		return s.renderInvalidLink(w, r, "Ask for a new one", forgotPath)
	}
	if err != nil {
		return err
	}
	return s.render(w, r, pageResponse{http.StatusOK, "message", "The password is set"}, messagePage{
		Heading: "The password is set", Text: "You are signed out of all browsers, and your API key is revoked.",
		Address: signInPath, Link: "Sign in",
	})
}
