package door

import (
	"context"

	"portico/graph/schema"
	"portico/model"
)

// ExportSpace returns the files of a space of the caller, with the text of each file, or the address
// of a plugin or asset.
func (r queryFields) ExportSpace(ctx context.Context, spaceID string) (*schema.SpaceExport, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", spaceID)
	if err != nil {
		return nil, err
	}
	export, err := r.core.Query().ExportSpace(ctx, id)
	if err != nil {
		return nil, err
	}
	files := r.core.ExportedFiles(export)
	return &schema.SpaceExport{Files: pointers(files)}, nil
}

// ApplyChanges applies a change set to a space of the caller: all of it or nothing.
func (r mutationFields) ApplyChanges(ctx context.Context, in schema.ApplyChangesInput) (*schema.ApplyChangesPayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	set := model.ChangeSet{SpaceID: id, Deletes: in.Deletes, DryRun: model.Deref(in.DryRun)}
	for _, file := range in.Expected {
		set.Expected = append(set.Expected, *file)
	}
	var faults model.ChangeFaults
	for _, put := range in.Puts {
		set.Puts = append(set.Puts, faults.NewFilePut(put.Path, put.Content, model.Deref(put.Base64), put.FileID))
	}
	if err := faults.Refusal(); err != nil {
		return nil, err
	}
	result, err := r.core.Mutation().ApplyChanges(model.WithLockToken(ctx, model.Deref(in.LockToken)), set)
	if err != nil {
		return nil, err
	}
	return &schema.ApplyChangesPayload{
		DryRun: result.DryRun, NoChanges: len(result.Applied) == 0, Applied: pointers(result.Applied),
	}, nil
}

func pointers[T any](values []T) []*T {
	all := make([]*T, len(values))
	for i := range values {
		all[i] = &values[i]
	}
	return all
}
