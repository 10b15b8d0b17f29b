package graph

import (
	"context"

	"portico/model"
)

// ExportSpace returns the whole content of a space of the caller.
//
// The entities and the files are two reads: an export during a change set may have one from before
// and one from after it. The hashes of the files show it when the client sends them back.
func (r Queries) ExportSpace(ctx context.Context, id string) (*model.SpaceFiles, error) {
	space, err := r.ownedSpace(ctx, id)
	if err != nil {
		return nil, err
	}
	// An export is held in memory until it is sent.
	release, err := r.changeSlots.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	export := &model.SpaceFiles{Space: space}
	if export.Entities, err = r.DB.AllEntities(ctx, space.ID, model.MaxExport); err != nil {
		return nil, err
	}
	export.Files, err = r.DB.SpaceFiles(ctx, space.ID)
	return export, err
}
