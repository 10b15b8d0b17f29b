package graph

import (
	"context"

	"portico/model"
)

// Viewer returns the caller's account.
func (r Queries) Viewer(ctx context.Context) (*model.User, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	return r.DB.User(ctx, c.UserID)
}

// Storage returns how much of the account's storage is used. Its sums cost more than the
// account's row, so only the operations that show them call it.
func (r *Resolver) Storage(ctx context.Context, userID string) (*model.Storage, error) {
	storage, err := r.DB.Storage(ctx, userID)
	return &storage, err
}

// GenerateAPIKey replaces the caller's API key and returns the new one.
func (r Mutations) GenerateAPIKey(ctx context.Context) (string, error) {
	c, err := caller(ctx)
	if err != nil {
		return "", err
	}
	return r.Keys.Replace(ctx, c)
}

// RevokeAPIKey revokes the caller's API key.
func (r Mutations) RevokeAPIKey(ctx context.Context) (bool, error) {
	c, err := caller(ctx)
	if err != nil {
		return false, err
	}
	err = r.Keys.RevokeOwn(ctx, c)
	return err == nil, err
}
