package graph

import (
	"context"

	"portico/model"
)

// ExportSpace returns the whole content of a space of the caller.
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
