package graph

import (
	"context"

	"portico/model"
)

// ApplyArchive applies a change set to a space of the caller, and deletes all entities without a
// file in the change set. Without force it refuses to delete entities. Plugins and assets that are
// not in the change set stay. The result has the content of the space.
//
// Read returns the files of the change set. It unpacks the archive, which takes time and memory, so
// it is called only if the caller may edit the space.
//
// The entities are listed before the transaction of ApplyChanges. An entity that is added in
// between is not among the deletions, and stays.
func (r Mutations) ApplyArchive(ctx context.Context, in model.ChangeSet, read func() ([]model.FilePut, error), force bool) (*model.ChangeResult, error) {
	space, err := r.editableSpace(ctx, in.SpaceID)
	if err != nil {
		return nil, err
	}
	if in.Puts, err = read(); err != nil {
		return nil, err
	}
	versions, err := r.db.EntityVersions(ctx, space.ID)
	if err != nil {
		return nil, err
	}
	kept := map[string]bool{}
	for _, put := range in.Puts {
		if target, err := model.ParseChangePath(put.Path); err == nil {
			kept[target.EntityID] = true
		}
	}
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
	in.ReturnsContent = true
	return r.ApplyChanges(ctx, in)
}
