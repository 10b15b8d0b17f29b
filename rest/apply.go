package rest

import (
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// applyArchive handles POST /spaces/:spaceId/apply, which replaces the content of the space with
// the archive.
//
// The response has the manifest of the space afterwards, so that a client need not pull to know the
// new hashes.
func (a *api) applyArchive(w http.ResponseWriter, r *http.Request) error {
	spooled, err := a.spoolBody(w, r)
	if err != nil {
		return err
	}
	defer spooled.Close() //nolint:errcheck // it was read
	in := model.ChangeSet{SpaceID: pathValue(r, "spaceId"), DryRun: querySwitch(r, "dryRun", false)}
	read := func() ([]model.FilePut, error) { return a.readArchive(r.Context(), spooled) }
	result, err := a.resolver.Mutation().ApplyArchive(lockContext(r), in, read, querySwitch(r, "force", false))
	if err != nil {
		return err
	}
	_ = spooled.Close() // the client may read the response slowly
	manifest := view.NewManifest(result.Content, view.NewSpaceFiles(a.resolver, result.Content))
	return respond(w, http.StatusOK, newChangesResponse(result, &manifest))
}
