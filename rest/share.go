package rest

import (
	"net/http"

	"portico/graph/view"
)

// sharedSpace answers GET /splatjs/share/:spaceId for everybody.
func (a *api) sharedSpace(w http.ResponseWriter, r *http.Request) error {
	space, err := a.resolver.Query().SharedSpace(r.Context(), pathValue(r, "spaceId"))
	if err != nil {
		return err
	}
	return respondOK(w, view.NewSharePage(space))
}
