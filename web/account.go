package web

import (
	"errors"
	"net/http"

	"portico/model"
)

// accountPage is the content of account.html.
type accountPage struct {
	User    *model.User
	Storage model.Storage
	HasKey  bool
	Key     string // "" unless the page shows it
	Sealed  bool   // whether the key works but cannot be decrypted, because the secret has changed
	Events  []activity
}

// Plan returns the plan's name for people.
func (p accountPage) Plan() string {
	if p.User.Plan == model.PlanPro {
		return "Pro"
	}
	return "Free"
}

// account handles GET /account. It hides the key, because others may see the screen.
func (s *Site) account(w http.ResponseWriter, r *http.Request) error {
	return s.renderAccount(w, r, false)
}

// showKey handles GET /account/key: the account page with the key.
func (s *Site) showKey(w http.ResponseWriter, r *http.Request) error {
	return s.renderAccount(w, r, true)
}

// renderAccount renders the account page. It generates no key, because a GET changes nothing except
// for the security event of a key that was shown.
func (s *Site) renderAccount(w http.ResponseWriter, r *http.Request, withKey bool) error {
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
	page := accountPage{User: user}
	if page.Storage, err = s.db.Accounts().Storage(r.Context(), user.ID); err != nil {
		return err
	}
	key, err := s.keys.Show(r.Context(), user.ID)
	switch {
	case errors.Is(err, model.ErrKeySealed):
		page.HasKey, page.Sealed = true, true
	case model.CodeOf(err) == model.CodeNotFound: // the account has no key
	case err != nil:
		return err
	default:
		page.HasKey = true
		if withKey {
			// The event is stored first: no page shows the key without a trace.
			shown := model.NewSecurityEvent(r.Context(), model.EventKeyShown, user.ID)
			if err := s.db.Audit().AddSecurityEvent(r.Context(), shown); err != nil {
				return err
			}
			page.Key = key
		}
	}
	if page.Events, err = s.activities(r.Context(), s.pages.language(r), user.ID); err != nil {
		return err
	}
	return s.render(w, r, pageResponse{http.StatusOK, "account", "Account"}, page)
}

// changeKey handles POST /account/key: it generates or revokes the key, and redirects to the
// account page, which can be reloaded without another change.
//
// Revoking the key ends all access to the account, which would include this session, so the session
// goes on under a new token. A new key ends no session. It is shown at once, because the person
// needs it now.
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
	if r.PostForm.Get("action") == "generate" {
		return Redirect(w, r, keyPath)
	}
	return Redirect(w, r, accountPath)
}
