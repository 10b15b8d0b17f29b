package graph

import "context"

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
