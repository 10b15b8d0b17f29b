package rest

import (
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// applyArchive answers POST /spaces/:spaceId/apply, which replaces the content of the space with the
// archive.
//
// The answer has the manifest of the space afterwards, so that a client need not pull to know the
// new hashes.
func (a *api) applyArchive(w http.ResponseWriter, r *http.Request) error {
	spooled, err := a.spoolBody(w, r)
	if err != nil {
		return err
	}
	defer spooled.Close() //nolint:errcheck // it was read
	id := pathValue(r, "spaceId")
	in := model.ChangeSet{SpaceID: id, DryRun: isSet(r, "dryRun")}
	read := func() ([]model.FilePut, error) { return a.readArchive(r.Context(), spooled) }
	result, err := a.resolver.Mutation().ApplyArchive(lockContext(r), in, read, isSet(r, "force"))
	if err != nil {
		return err
	}
	export, err := a.resolver.Query().ExportSpace(r.Context(), id)
	if err != nil {
		return err
	}
	manifest := view.NewManifest(export, view.NewWorkspace(a.resolver, export))
	return respond(w, http.StatusOK, newChangesAnswer(result, &manifest))
}
