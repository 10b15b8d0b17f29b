package rest

import (
	"net/http"
	"net/url"
	"strconv"

	"portico/graph/view"
	"portico/model"
)

// versions answers GET /spaces/:spaceId/versions.
func (a *api) versions(w http.ResponseWriter, r *http.Request) error {
	query, err := parsePage(r)
	if err != nil {
		return err
	}
	page, err := a.resolver.Query().SpaceVersions(r.Context(), pathValue(r, "spaceId"), query.args())
	if err != nil {
		return err
	}
	return respondOK(w, view.NewVersionPage(page))
}

// args returns the page as an argument of a resolver.
func (q pageQuery) args() model.PageArgs {
	args := model.PageArgs{Limit: q.limit}
	if q.cursor != nil {
		args.Cursor = *q.cursor
	}
	return args
}

// versionNumber returns the number in the path. For a text that is no number it returns -1, which no
// version has, so that the resolver refuses it in the usual order: after an unknown space.
func versionNumber(r *http.Request) int {
	number, err := strconv.Atoi(pathValue(r, "number"))
	if err != nil {
		return -1
	}
	return number
}

// versionChanges answers GET /spaces/:spaceId/versions/:number/changes.
func (a *api) versionChanges(w http.ResponseWriter, r *http.Request) error {
	query, err := parsePage(r)
	if err != nil {
		return err
	}
	var from *int
	if values, err := url.ParseQuery(r.URL.RawQuery); err == nil && values.Has("from") {
		number, err := strconv.Atoi(values.Get("from"))
		if err != nil {
			return model.InvalidField("from", "must be the number of a version")
		}
		from = &number
	}
	page, err := a.resolver.Query().SpaceChanges(r.Context(), pathValue(r, "spaceId"), from, versionNumber(r), query.args())
	if err != nil {
		return err
	}
	return respondOK(w, view.NewSpaceChangePage((*model.Connection[*model.SpaceChange])(page)))
}

// nameVersion answers PUT /spaces/:spaceId/versions/:number.
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

// restoreVersion answers POST /spaces/:spaceId/versions/:number/restore.
func (a *api) restoreVersion(w http.ResponseWriter, r *http.Request) error {
	result, err := a.resolver.Mutation().RestoreVersion(lockContext(r), pathValue(r, "spaceId"), versionNumber(r))
	return a.answerChanges(w, result, err)
}
