package web

import (
	"net/http"
	"net/url"

	"portico/model"
)

// showConfirm handles GET /account/email. It changes nothing (see showReset). It requires a session
// of the account, so that the owner of a mistyped address cannot take over the account.
func (s *Site) showConfirm(w http.ResponseWriter, r *http.Request) error {
	user, err := s.User(r)
	if err != nil {
		return err
	}
	if user == nil {
		return s.RedirectToSignIn(w, r)
	}
	address, err := s.accounts.AddressToConfirm(r.Context(), r.FormValue("token"))
	if err != nil {
		return err
	}
	if address == "" {
		return s.renderInvalidLink(w, r, "To your account", consoleAccountPath)
	}
	text := s.say(r, "You are signed in to the account of {email}.", "email", user.Email)
	if address != user.Email {
		text = s.say(r, "{address} replaces {email} as the address of your account.", "address", address, "email", user.Email)
	}
	return s.render(w, r, pageResponse{http.StatusOK, "form", "Confirm your e-mail address"}, formPage{
		Heading: "Confirm your e-mail address", Text: text,
		Action: confirmPath + "?" + url.Values{"token": {r.FormValue("token")}}.Encode(), Button: "Confirm the address",
	})
}

// confirm handles POST /account/email.
//
// The link and the account must belong together, which ConfirmEmail checks in its transaction.
func (s *Site) confirm(w http.ResponseWriter, r *http.Request) error {
	user, err := s.User(r)
	if err != nil {
		return err
	}
	if user == nil {
		return s.RedirectToSignIn(w, r)
	}
	language := model.PreferredLanguage(r.Header.Get("Accept-Language"))
	err = s.accounts.ConfirmEmail(r.Context(), r.URL.Query().Get("token"), user.ID, language)
	if model.CodeOf(err) == model.CodeNotFound {
		return s.renderInvalidLink(w, r, "To your account", consoleAccountPath)
	}
	if err != nil {
		return err
	}
	if user, err = s.db.Accounts().User(r.Context(), user.ID); err != nil {
		return err
	}
	return s.render(w, r, pageResponse{http.StatusOK, "message", "Your address is confirmed"}, messagePage{
		Heading: "Your address is confirmed", Text: s.say(r, "{email} is the address of your account.", "email", user.Email),
		Address: consoleAccountPath, Link: "To your account",
	})
}
