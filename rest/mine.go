package rest

import (
	"net/http"

	"portico/graph/view"
)

// sharedByCaller answers GET /splatjs/mine.
func (a *api) sharedByCaller(w http.ResponseWriter, r *http.Request) error {
	spaces, err := a.resolver.Query().OwnSharedSpaces(r.Context())
	if err != nil {
		return err
	}
	return respondOK(w, view.NewSharedSpaces(spaces))
}
