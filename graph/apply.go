package graph

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"portico/model"
)

// ApplyArchive applies a change set to a space of the caller, and deletes all entities without a
// file in the change set. Plugins and assets that are not in the change set stay. A plugin folder that
// is in the change set has only the files from there. The result has the content of the space.
//
// Without force it refuses to delete entities, and, if the archive has the manifest of a pull, to
// overwrite what others have changed since then.
//
// Read returns the files of the change set. It unpacks the archive, which takes time and memory, so
// it is called only if the caller may edit the space.
//
// The entities are listed before the transaction of ApplyChanges. An entity that is added in
// between is not among the deletions, and stays.
func (r Mutations) ApplyArchive(ctx context.Context, in model.ChangeSet, read func() ([]model.FilePut, error), force bool) (*model.ChangeResult, error) {
	space, err := r.access.EditableSpace(ctx, in.SpaceID)
	if err != nil {
		return nil, err
	}
	if in.Puts, err = read(); err != nil {
		return nil, err
	}
	versions, err := r.db.History().EntityVersions(ctx, space.ID)
	if err != nil {
		return nil, err
	}
	kept := map[string]bool{model.RoomInfoID: true} // it cannot be deleted
	folders := map[string]bool{}
	for _, put := range in.Puts {
		if target, err := model.ParseChangePath(put.Path); err == nil {
			kept[target.EntityID] = true
			if target.Inner != "" {
				folders[model.SpaceFolder+target.File] = true
			}
		}
	}
	in.Deletes = slices.AppendSeq(in.Deletes, maps.Keys(folders))
	var planned model.PlannedDeletes
	for _, entity := range versions {
		if !kept[entity.EntityID] {
			planned = append(planned, entity.EntityID)
			in.Deletes = append(in.Deletes, model.EntityPath(entity.EntityID))
		}
	}
	if len(planned) > 0 && !force && !in.DryRun {
		return nil, planned.Refusal()
	}
	if !force {
		in.Expected = expectedByManifest(space.ID, in.Puts)
	}
	in.ReturnsContent = true
	return r.ApplyChanges(ctx, in)
}

// expectedByManifest returns the files of an archive that its manifest lists, as the client last
// pulled them. An archive without a manifest, or with the manifest of another space, expects
// nothing.
//
// The client may have written anything into the manifest, so it decides only which of the files
// in the archive are refused.
func expectedByManifest(spaceID string, puts []model.FilePut) (expected []model.ExpectedFile) {
	type listed struct{ File, SHA string }
	var manifest struct {
		SpaceID                   string
		Entities, Plugins, Assets []listed
	}
	for _, put := range puts {
		if put.Path == model.ManifestFile && json.Unmarshal(put.Content, &manifest) != nil {
			return nil
		}
	}
	if manifest.SpaceID != spaceID {
		return nil
	}
	pulled := map[string]*string{}
	for _, list := range [][]listed{manifest.Entities, manifest.Plugins, manifest.Assets} {
		for _, file := range list {
			pulled[file.File] = &file.SHA
		}
	}
	for _, put := range puts {
		name := put.Path
		if target, err := model.ParseChangePath(name); err == nil && target.Inner != "" {
			name = model.SpaceFolder + target.File
		}
		if sum := pulled[name]; sum != nil {
			expected = append(expected, model.ExpectedFile{Path: name, SHA256: sum})
			delete(pulled, name) // a plugin folder has several files
		}
	}
	return expected
}
