package graph

import (
	"context"
	"io"

	"portico/model"
)

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
