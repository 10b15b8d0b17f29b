package web

import (
	"errors"
	"net/http"

	"portico/model"
)

// keyPage is the content of key.html.
type keyPage struct {
	HasKey bool
	Key    string // "" if it cannot be shown
	Sealed bool   // whether the key works but cannot be decrypted, because the secret has changed
}

// showAccount handles GET /account. The account is a view of the console, which asks strangers to
// sign in.
func showAccount(w http.ResponseWriter, r *http.Request) error {
	return Redirect(w, r, consoleAccountPath)
}

// showKey handles GET /account/key, the page that shows the API key. The page works without a script,
// and generates no key: a GET changes nothing except for the security event of a key that was shown.
func (s *Site) showKey(w http.ResponseWriter, r *http.Request) error {
	user, err := s.User(r)
	if err != nil {
		return err
	}
	if user == nil {
		return s.RedirectToSignIn(w, r)
	}
	if err := s.countOperation(r.Context(), user.ID, "viewer"); err != nil {
		return err
	}
	page := keyPage{}
	page.Key, err = s.keys.Show(r.Context(), user.ID)
	switch {
	case errors.Is(err, model.ErrKeySealed):
		page.HasKey, page.Sealed = true, true
	case model.CodeOf(err) == model.CodeNotFound: // the account has no key
	case err != nil:
		return err
	default:
		page.HasKey = true
		// The event is stored first: no page shows the key without a trace.
		shown := model.NewSecurityEvent(r.Context(), model.EventKeyShown, user.ID)
		if err := s.db.Audit().AddSecurityEvent(r.Context(), shown); err != nil {
			return err
		}
	}
	return s.render(w, r, pageResponse{http.StatusOK, "key", s.pages.language(r).translate("API key")}, page)
}

// changeKey handles POST /account/key: it generates or revokes the key, and redirects to its page,
// which can be reloaded without another change.
//
// Revoking the key ends all access to the account, which would include this session, so the session
// goes on under a new token. A new key ends no session.
func (s *Site) changeKey(w http.ResponseWriter, r *http.Request) error {
	user, err := s.User(r)
	if err != nil {
		return err
	}
	if user == nil {
		return Redirect(w, r, signInPath)
	}
	if err := s.countOperation(r.Context(), user.ID, "generateApiKey"); err != nil {
		return err
	}
	switch r.PostForm.Get("action") {
	case "generate":
		_, err = s.keys.Generate(r.Context(), user)
	case "revoke":
		err = s.accounts.RevokeOthers(r.Context(), s.pageCaller(w, r, user))
	default:
		err = model.Invalidf("action must be generate or revoke")
	}
	if model.CodeOf(err) == model.CodeUnauthenticated { // the session has just ended
		return Redirect(w, r, signInPath)
	}
	if err != nil {
		return err
	}
	s.log.Info("key changed", "user_id", user.ID, "action", r.PostForm.Get("action"), "request_id", model.RequestID(r.Context()))
	return Redirect(w, r, keyPath)
}
