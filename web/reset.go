package web

import (
	"net/http"
	"net/url"

	"portico/model"
)

// formPage is the content of form.html: a form with a text above it.
type formPage struct {
	Heading string
	Text    string
	Error   string // about the whole form
	Action  string
	Fields  []field
	Button  string
}

// messagePage is the content of message.html: a text, and where to go from there.
type messagePage struct {
	Heading, Text, Address, Link string
}

// showForgot answers GET /login/forgot.
func (s *Site) showForgot(w http.ResponseWriter, r *http.Request) error {
	return s.respondForgot(w, r, http.StatusOK, "", "")
}

// respondForgot shows the form with the address that was sent.
func (s *Site) respondForgot(w http.ResponseWriter, r *http.Request, status int, email, problem string) error {
	return s.show(w, r, status, "form", withProblem("Forgot the password?", problem), formPage{
		Heading: "Forgot the password?", Text: "Enter your e-mail address. We will send you a link to set a new password.",
		Error: problem, Action: forgotPath, Button: "Send the link",
		Fields: focused([]field{{Name: "email", Label: "E-mail address", Type: "email", Autocomplete: "username", Value: email}}),
	})
}

// forgot answers POST /login/forgot. The answer is the same for every address, and comes after
// the same work: the worker that sends the mail looks for the account.
func (s *Site) forgot(w http.ResponseWriter, r *http.Request) error {
	typed := r.PostForm.Get("email")
	if wait := s.limits.mails.Take(s.Sender(r)); wait > 0 {
		SetRetryAfter(w.Header(), wait)
		return s.respondForgot(w, r, http.StatusTooManyRequests, typed, "Too many attempts. Try again in "+minutes(wait))
	}
	email, err := model.NormalizeEmail(typed)
	if err != nil || !isStorable(email) {
		return s.respondForgot(w, r, http.StatusUnprocessableEntity, typed, "Enter an e-mail address such as ada@example.com")
	}
	// More mail to the same address is left out in silence.
	if s.limits.letters.Take("reset "+email) == 0 {
		mail := model.Mail{Kind: model.MailReset, To: email, Language: s.pages.language(r).tag}
		if err := s.queueMail(r.Context(), mail); err != nil {
			return err
		}
	}
	return s.show(w, r, http.StatusOK, "message", "Check your e-mail", messagePage{
		Heading: "Check your e-mail", Address: signInPath, Link: "Back to sign in",
		Text: "If there is an account with this address, a mail with a link is on its way. The link works for an hour.",
	})
}

// showReset answers GET /login/reset. It changes nothing: programs open the links of a mail to
// check them.
func (s *Site) showReset(w http.ResponseWriter, r *http.Request) error {
	works, err := s.db.MailedLinkIsValid(r.Context(), linkHash(r.FormValue("token")), model.MailReset)
	if err != nil {
		return err
	}
	if !works {
		return s.linkFails(w, r, "Ask for a new one", forgotPath)
	}
	return s.respondReset(w, r, http.StatusOK, "")
}

// linkFails shows that a link does not work any more.
func (s *Site) linkFails(w http.ResponseWriter, r *http.Request, link, address string) error {
	return s.show(w, r, http.StatusNotFound, "message", "This link does not work any more", messagePage{
		Heading: "This link does not work any more", Text: "It was used, replaced by a newer one, or is too old.",
		Address: address, Link: link,
	})
}

// respondReset shows the form for the new password.
func (s *Site) respondReset(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	return s.show(w, r, status, "form", withProblem("Set a new password", problem), formPage{
		Heading: "Set a new password", Button: "Set the password",
		Text:   "This signs you out of all browsers and revokes your API key.",
		Action: resetPath + "?" + url.Values{"token": {r.FormValue("token")}}.Encode(),
		Fields: focused([]field{{
			Name: "password", Label: "New password", Type: "password", Autocomplete: "new-password", Error: problem,
			Hint: "At least 8 characters, and not one of the most common passwords.",
		}}),
	})
}

// reset answers POST /login/reset. It does not sign in: an account may ask for more than the
// password.
func (s *Site) reset(w http.ResponseWriter, r *http.Request) error {
	if wait := s.limits.mails.Take(s.Sender(r)); wait > 0 {
		SetRetryAfter(w.Header(), wait)
		return s.respondReset(w, r, http.StatusTooManyRequests, "Too many attempts. Try again in "+minutes(wait))
	}
	hash, err := s.passwords.Hash(r.Context(), r.PostForm.Get("password"))
	if model.CodeOf(err) == model.CodeInvalid {
		return s.respondReset(w, r, http.StatusUnprocessableEntity, sentence(err))
	}
	if err == nil {
		err = s.db.ResetPassword(r.Context(), linkHash(r.URL.Query().Get("token")), hash)
	}
	if model.CodeOf(err) == model.CodeNotFound {
		return s.linkFails(w, r, "Ask for a new one", forgotPath)
	}
	if err != nil {
		return err
	}
	return s.show(w, r, http.StatusOK, "message", "The password is set", messagePage{
		Heading: "The password is set", Text: "You are signed out of all browsers, and your API key is revoked.",
		Address: signInPath, Link: "Sign in",
	})
}
