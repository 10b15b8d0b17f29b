package graph

import (
	"context"

	"portico/graph/access"
	"portico/model"
)

// APIKeyCreatedAt returns when the key of the caller's own account was created; nil without a key,
// and for other accounts.
func (r *Resolver) APIKeyCreatedAt(ctx context.Context, userID string) (*model.Time, error) {
	return access.OfOwnAccount(ctx, userID, func(ctx context.Context, id string) (*model.Time, error) {
		key, err := r.db.Keys().KeyOf(ctx, id)
		if model.CodeOf(err) == model.CodeNotFound {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return &key.CreatedAt, nil
	})
}

// GenerateAPIKey replaces the caller's API key and returns the new one.
//
// The new key is valid and the old one is not, everywhere and at once; the apps of the account must
// ask for the new one.
func (r Mutations) GenerateAPIKey(ctx context.Context) (string, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return "", err
	}
	return r.keys.Replace(ctx, c)
}

// RevokeAPIKey revokes the caller's API key.
//
// It also ends the sessions and authorization codes of the account (API, OAuth: revoking ends the
// key everywhere at once).
func (r Mutations) RevokeAPIKey(ctx context.Context) (bool, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return false, err
	}
	err = r.keys.RevokeOwn(ctx, c)
	return err == nil, err
}
