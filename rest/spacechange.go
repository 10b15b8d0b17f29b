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
	from, err := optionalVersion(r.URL.Query(), "from") // parsePage refuses a malformed query
	if err != nil {
		return err
	}
	page, err := a.resolver.Query().SpaceChanges(r.Context(), pathValue(r, "spaceId"), from, versionNumber(r), query.args())
	if err != nil {
		return err
	}
	return respondOK(w, view.NewSpaceChangeList((*model.Connection[*model.SpaceChange])(page)))
}
