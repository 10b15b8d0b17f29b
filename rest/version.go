package rest

import (
	"net/http"
	"strconv"

	"portico/graph/view"
	"portico/model"
)

// spaceVersions handles GET /spaces/:spaceId/versions.
func (a *api) spaceVersions(w http.ResponseWriter, r *http.Request) error {
	query, err := parsePage(r)
	if err != nil {
		return err
	}
	page, err := a.resolver.Query().SpaceVersions(r.Context(), pathValue(r, "spaceId"), query.args())
	if err != nil {
		return err
	}
	return respondOK(w, view.NewVersionList(page))
}

// versionNumber returns the number in the path.
func versionNumber(r *http.Request) int { return parseVersion(pathValue(r, "number")) }

// parseVersion returns the number of a version. It returns -1 for a text that is not a number. No
// version has the number -1, so the resolver refuses it in the usual order: after an unknown space.
func parseVersion(text string) int {
	number, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return number
}

// nameVersion handles PUT /spaces/:spaceId/versions/:number.
func (a *api) nameVersion(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Name *string `json:"name"`
	}
	if err := a.decode(w, r, &body); err != nil {
		return err
	}
	if err := required("name", body.Name); err != nil {
		return err
	}
	version, err := a.resolver.Mutation().NameVersion(r.Context(), model.NameVersion{
		SpaceID: pathValue(r, "spaceId"), Number: versionNumber(r), Name: *body.Name,
	})
	if err != nil {
		return err
	}
	return respondOK(w, view.NewVersion(version))
}
