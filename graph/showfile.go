package graph

import (
	"context"

	"portico/model"
)

// fileToShow returns the caller's file that an entity will show, or nil where the input
// names none: an empty resource key means no file. It enqueues the file's view, because
// viewers of the entity will need it. Enqueuing twice is harmless: a view is made once.
func (r *Resolver) fileToShow(ctx context.Context, resourceKey *string) (*model.File, error) {
	if deref(resourceKey) == "" {
		return nil, nil
	}
	file, err := r.ownedFile(ctx, *resourceKey)
	if err != nil || !file.NeedsView() {
		return file, err
	}
	return file, r.DB.EnqueueView(ctx, file.ResourceKey)
}
