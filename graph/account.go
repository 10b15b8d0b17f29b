package graph

import (
	"context"

	"portico/model"
)

// Viewer returns the caller's account.
func (r queryResolver) Viewer(ctx context.Context) (*model.User, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	return r.DB.User(ctx, c.UserID)
}

// Storage returns how much of the account's storage is used. It has a resolver because
// its sums cost more than the account's row: only queries that select it pay for them.
func (r viewerResolver) Storage(ctx context.Context, user *model.User) (*model.Storage, error) {
	storage, err := r.DB.Storage(ctx, user.ID)
	return &storage, err
}

// GenerateAPIKey replaces the caller's API key and returns the new one.
func (r mutationResolver) GenerateAPIKey(ctx context.Context) (string, error) {
	c, err := caller(ctx)
	if err != nil {
		return "", err
	}
	return r.Keys.Replace(ctx, c)
}

// RevokeAPIKey revokes the caller's API key.
func (r mutationResolver) RevokeAPIKey(ctx context.Context) (bool, error) {
	c, err := caller(ctx)
	if err != nil {
		return false, err
	}
	err = r.Keys.RevokeOwn(ctx, c)
	return err == nil, err
}
