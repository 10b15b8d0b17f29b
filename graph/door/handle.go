package door

import (
	"context"

	"portico/graph/schema"
	"portico/model"
)

// Handle returns the name of the account in addresses; nil without one.
func (r userFields) Handle(ctx context.Context, user *model.Profile) (*string, error) {
	handle, err := r.core.Handles().HandleOf(ctx, user)
	return textOrNil(handle), err
}

// FormerHandles returns the names that the caller's own account has left; nil for other accounts.
func (r userFields) FormerHandles(ctx context.Context, user *model.Profile) ([]string, error) {
	return r.core.Handles().FormerHandles(ctx, user.ID)
}

// URL returns the address of the page of the account.
func (r userFields) URL(ctx context.Context, user *model.Profile) (string, error) {
	return r.core.Handles().UserURL(ctx, user)
}

// textOrNil returns nil for an empty text.
func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Slug returns the name of the space in addresses; nil without one.
func (r spaceFields) Slug(ctx context.Context, space *model.Space) (*string, error) {
	names, err := r.core.Handles().NamesOf(ctx, space)
	return textOrNil(names.Slug), err
}

// NamedURL returns the address of the space with names; nil unless there are both.
func (r spaceFields) NamedURL(ctx context.Context, space *model.Space) (*string, error) {
	return r.core.Handles().SpaceURL(ctx, space)
}

// UpdateHandle changes the name of the caller's account.
func (r mutationFields) UpdateHandle(ctx context.Context, in schema.UpdateHandleInput) (*schema.UpdateHandlePayload, error) {
	user, err := r.viewerOrError(ctx, r.core.Handles().UpdateHandle(ctx, model.Deref(in.Handle)))
	if err != nil {
		return nil, err
	}
	return &schema.UpdateHandlePayload{User: user}, nil
}

// UpdateSlug changes the name of a space of the caller.
func (r mutationFields) UpdateSlug(ctx context.Context, in schema.UpdateSlugInput) (*schema.UpdateSlugPayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	space, err := r.core.Handles().UpdateSlug(ctx, id, model.Deref(in.Slug))
	if err != nil {
		return nil, err
	}
	return &schema.UpdateSlugPayload{Space: space}, nil
}
