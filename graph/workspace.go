package graph

import (
	"context"
	"io"

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

// OpenSpaceFile returns the content of a plugin or an asset of an exported space. The
// caller closes it.
func (r *Resolver) OpenSpaceFile(ctx context.Context, export *model.SpaceFiles, file *model.SpaceFile) (io.ReadCloser, error) {
	return r.Store.Open(ctx, spaceFileKey(export.Space, file.ResourceKey))
}

// SpaceFileURL returns the public address of a plugin or an asset of a space.
func (r *Resolver) SpaceFileURL(space *model.Space, file *model.SpaceFile) string {
	return r.Store.PublicURL(spaceFileKey(space, file.ResourceKey))
}

// spaceFileKey returns the key in the store of a file of the space's owner.
func spaceFileKey(space *model.Space, resourceKey string) string {
	return (&model.File{UserID: space.OwnerID, ResourceKey: resourceKey}).StorageKey()
}
