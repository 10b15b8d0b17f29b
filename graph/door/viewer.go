package door

import (
	"context"

	"portico/graph/schema"
	"portico/model"
)

// ViewerSpaces subscribes to the caller's spaces.
func (r subscriptionFields) ViewerSpaces(ctx context.Context) (<-chan model.ViewerSpaceEvent, error) {
	return r.core.Subscription().ViewerSpaces(ctx)
}

// ViewerFiles subscribes to the caller's files.
func (r subscriptionFields) ViewerFiles(ctx context.Context) (<-chan model.ViewerFileEvent, error) {
	return r.core.Subscription().ViewerFiles(ctx)
}

// Spaces returns a page of the caller's spaces.
func (r spacesFields) Spaces(
	ctx context.Context, _ *model.SpacesSnapshot, filter *model.SpaceFilter, order *schema.SpaceOrder,
	first *int, after *string, last *int, before *string,
) (*model.SpaceConnection, error) {
	return queryFields(r).Spaces(ctx, filter, order, first, after, last, before)
}

// Files returns a page of the caller's files.
func (r filesFields) Files(
	ctx context.Context, _ *model.FilesSnapshot, filter *model.FileFilter, order *schema.FileOrder,
	first *int, after *string, last *int, before *string,
) (*model.FileConnection, error) {
	return queryFields(r).Files(ctx, filter, order, first, after, last, before)
}
