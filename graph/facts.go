package graph

import (
	"context"

	"portico/model"
)

// shownFile returns the caller's file that an entity is to show, or nil where the
// input names none: an empty resource key stands for no key. Whoever looks at the
// entity soon will want the file's view, so it is asked for. It may be asked for
// again: it is made once.
func (r *Resolver) shownFile(ctx context.Context, resourceKey *string) (*model.File, error) {
	if deref(resourceKey) == "" {
		return nil, nil
	}
	file, err := r.ownedFile(ctx, *resourceKey)
	if err != nil || !file.NeedsView() {
		return file, err
	}
	return file, r.DB.EnqueueView(ctx, file.ResourceKey)
}
