package door

import (
	"context"

	"portico/graph/batch"
	"portico/graph/schema"
	"portico/model"
)

// Viewer returns the caller's account.
func (r queryFields) Viewer(ctx context.Context) (*model.Profile, error) {
	user, err := r.core.Query().Viewer(ctx)
	if err != nil {
		return nil, err
	}
	return &model.Profile{ID: user.ID, Name: user.Name, Account: user}, nil
}

// User returns an account as the caller sees it.
func (r queryFields) User(ctx context.Context, nodeID string) (*model.Profile, error) {
	id, err := model.OwnID(model.NodeUser, "id", nodeID)
	if err != nil {
		return nil, err
	}
	return r.core.VisibleUser(ctx, id)
}

// Notifications returns a page of the caller's notifications.
func (r queryFields) Notifications(
	ctx context.Context, first *int, after *string, last *int, before *string,
) (*model.NotificationConnection, error) {
	return r.core.Notifications(ctx, connection(ctx, first, after, last, before))
}

// Spaces returns a page of the account's Public spaces.
func (r userFields) Spaces(
	ctx context.Context, user *model.Profile, first *int, after *string, last *int, before *string,
) (*model.SpaceConnection, error) {
	args := connection(ctx, first, after, last, before)
	return batch.Load(ctx, user, batch.Key("spaces", args), func(ctx context.Context, users []*model.Profile) (map[*model.Profile]*model.SpaceConnection, error) {
		return r.core.PublicSpacesOfEach(ctx, users, args)
	})
}

// Email returns the e-mail address of the caller's own account; nil for other accounts.
func (r userFields) Email(ctx context.Context, user *model.Profile) (*string, error) {
	own, err := r.core.OwnAccount(ctx, user)
	if err != nil || own == nil {
		return nil, err
	}
	return &own.Email, nil
}

// Plan returns the plan of the caller's own account; nil for other accounts.
func (r userFields) Plan(ctx context.Context, user *model.Profile) (*model.Plan, error) {
	own, err := r.core.OwnAccount(ctx, user)
	if err != nil || own == nil {
		return nil, err
	}
	return &own.Plan, nil
}

// Storage returns the storage of the caller's own account; nil for other accounts.
func (r userFields) Storage(ctx context.Context, user *model.Profile) (*model.Storage, error) {
	return r.core.Storage(ctx, user.ID)
}

// SecurityEvents returns a page of the audit trail of the caller's own account; nil for
// other accounts.
func (r userFields) SecurityEvents(
	ctx context.Context, user *model.Profile, first *int, after *string, last *int, before *string,
) (*model.SecurityEventConnection, error) {
	return r.core.SecurityEvents(ctx, user.ID, connection(ctx, first, after, last, before))
}

// Followers returns a page of who follows the caller's own account; nil for other accounts.
func (r userFields) Followers(
	ctx context.Context, user *model.Profile, first *int, after *string, last *int, before *string,
) (*model.UserConnection, error) {
	return r.core.Followers(ctx, user.ID, connection(ctx, first, after, last, before))
}

// Following returns a page of whom the caller's own account follows; nil for other accounts.
func (r userFields) Following(
	ctx context.Context, user *model.Profile, first *int, after *string, last *int, before *string,
) (*model.UserConnection, error) {
	return r.core.Following(ctx, user.ID, connection(ctx, first, after, last, before))
}

// GenerateAPIKey replaces the caller's API key.
func (r mutationFields) GenerateAPIKey(ctx context.Context) (*schema.GenerateAPIKeyPayload, error) {
	key, err := r.core.Mutation().GenerateAPIKey(ctx)
	if err != nil {
		return nil, err
	}
	return &schema.GenerateAPIKeyPayload{APIKey: key}, nil
}

// RevokeAPIKey revokes the caller's API key.
func (r mutationFields) RevokeAPIKey(ctx context.Context) (*schema.RevokeAPIKeyPayload, error) {
	revoked, err := r.core.Mutation().RevokeAPIKey(ctx)
	if err != nil {
		return nil, err
	}
	return &schema.RevokeAPIKeyPayload{Revoked: revoked}, nil
}

// FollowUser makes the caller follow an account.
func (r mutationFields) FollowUser(ctx context.Context, in schema.FollowUserInput) (*schema.FollowUserPayload, error) {
	id, err := model.OwnID(model.NodeUser, "userId", in.UserID)
	if err != nil {
		return nil, err
	}
	user, err := r.core.Mutation().FollowUser(ctx, id)
	if err != nil {
		return nil, err
	}
	return &schema.FollowUserPayload{User: user}, nil
}

// UnfollowUser makes the caller no longer follow an account.
func (r mutationFields) UnfollowUser(ctx context.Context, in schema.UnfollowUserInput) (*schema.UnfollowUserPayload, error) {
	id, err := model.OwnID(model.NodeUser, "userId", in.UserID)
	if err != nil {
		return nil, err
	}
	user, err := r.core.Mutation().UnfollowUser(ctx, id)
	if err != nil {
		return nil, err
	}
	return &schema.UnfollowUserPayload{User: user}, nil
}

// Notifications subscribes to the caller's notifications.
func (r subscriptionFields) Notifications(ctx context.Context, after *string) (<-chan *model.Notification, error) {
	return r.core.Subscription().Notifications(ctx, after)
}
