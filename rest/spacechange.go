package rest

import (
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// spaceChanges handles GET /spaces/:spaceId/versions/:number/changes.
func (a *api) spaceChanges(w http.ResponseWriter, r *http.Request) error {
	query, err := parsePage(r)
	if err != nil {
		return err
	}
	var from *int
	if text := optional(r.URL.Query(), "from"); text != nil { // parsePage refuses a malformed query
		from = new(parseVersion(*text))
	}
	page, err := a.resolver.Query().SpaceChanges(r.Context(), pathValue(r, "spaceId"), from, versionNumber(r), query.args())
	if err != nil {
		return err
	}
	return respondOK(w, view.NewSpaceChangeList((*model.Connection[*model.SpaceChange])(page)))
}
