package rest

import (
	"net/http"

	"portico/model"
)

// userView is the caller's account (contract, Spaces).
type userView struct {
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	Email   string      `json:"email"`
	Plan    model.Plan  `json:"plan"`
	Storage storageView `json:"storage"`
}

// storageView is in bytes.
type storageView struct {
	// Used counts files, uploads that a job works on, and the JSON that is kept.
	Used  int64 `json:"used"`
	Quota int64 `json:"quota"`
}

// me answers GET /user/me. Clients call it to try a key, and to see whether a
// file will fit before they upload it.
func (a *api) me(w http.ResponseWriter, r *http.Request) error {
	user, err := a.resolver.Query().Viewer(r.Context())
	if err != nil {
		return err
	}
	storage, err := a.resolver.Viewer().Storage(r.Context(), user)
	if err != nil {
		return err
	}
	return respondOK(w, userView{
		ID: user.ID, Name: user.Name, Email: user.Email, Plan: user.Plan,
		Storage: storageView{Used: storage.Used, Quota: storage.Quota},
	})
}
