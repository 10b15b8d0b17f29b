package rest

import (
	"net/http"

	"portico/graph/view"
)

// me answers GET /user/me. Clients call it to check a key, and to see how much storage is free before
// an upload.
func (a *api) me(w http.ResponseWriter, r *http.Request) error {
	user, err := a.resolver.Query().Viewer(r.Context())
	if err != nil {
		return err
	}
	account, err := view.NewUser(r.Context(), a.resolver, user)
	if err != nil {
		return err
	}
	return respondOK(w, account)
}
