package graph

import (
	"context"
	"encoding/base64"

	"portico/graph/schema"
	"portico/model"
)

// ExportSpace returns a space as files.
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

// ApplyChanges changes the files of a space.
func (r mutationFields) ApplyChanges(ctx context.Context, in schema.ApplyChangesInput) (*schema.ApplyChangesPayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	set := model.ChangeSet{SpaceID: id, Deletes: in.Deletes, DryRun: deref(in.DryRun)}
	for _, file := range in.Expected {
		set.Expected = append(set.Expected, *file)
	}
	for _, put := range in.Puts {
		content := []byte(put.Content)
		if deref(put.Base64) {
			if content, err = base64.StdEncoding.DecodeString(put.Content); err != nil {
				return nil, model.ChangeFaults{{File: put.Path, Message: model.ContentNotBase64}}.Refusal()
			}
		}
		set.Puts = append(set.Puts, model.FilePut{Path: put.Path, Content: content})
	}
	result, err := r.core.Mutation().ApplyChanges(model.WithLockToken(ctx, deref(in.LockToken)), set)
	if err != nil {
		return nil, err
	}
	return &schema.ApplyChangesPayload{
		DryRun: result.DryRun, NoChanges: len(result.Applied) == 0, Applied: pointers(result.Applied),
	}, nil
}

// pointers returns the addresses of the values.
func pointers[T any](values []T) []*T {
	all := make([]*T, len(values))
	for i := range values {
		all[i] = &values[i]
	}
	return all
}
