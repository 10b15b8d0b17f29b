package graph

import (
	"context"

	"portico/db"
	"portico/model"
)

// ExportSpace returns the whole content of a space of the caller.
//
// The entities and the files are two reads: an export during a change set may have one from before
// and one from after it. The hashes of the files show it when the client sends them back.
func (r Queries) ExportSpace(ctx context.Context, id string) (*model.SpaceFiles, error) {
	space, err := r.access.OwnedSpace(ctx, id)
	if err != nil {
		return nil, err
	}
	// An export is held in memory until it is sent.
	slot, err := r.changeSlots.Wait(ctx, space.OwnerID, 1, nil)
	if err != nil {
		return nil, err
	}
	defer slot.Leave()
	return spaceContent(ctx, r.db, space)
}

// spaceContent returns the whole content of a space.
func spaceContent(ctx context.Context, database *db.DB, space *model.Space) (*model.SpaceFiles, error) {
	entities, err := database.Entities().AllEntities(ctx, space.ID, model.MaxExport)
	if err != nil {
		return nil, err
	}
	files, err := database.Spaces().SpaceFiles(ctx, space.ID)
	if err != nil {
		return nil, err
	}
	return &model.SpaceFiles{Space: space, Entities: entities, Files: files}, nil
}
