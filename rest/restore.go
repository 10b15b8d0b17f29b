package rest

import "net/http"

// restoreVersion handles POST /spaces/:spaceId/versions/:number/restore.
func (a *api) restoreVersion(w http.ResponseWriter, r *http.Request) error {
	result, err := a.resolver.Mutation().RestoreVersion(lockContext(r), pathValue(r, "spaceId"), versionNumber(r))
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, newChangesResponse(result, nil))
}
