package auth

import (
	"context"
	"errors"

	"portico/db"
	"portico/model"
)

// ErrSealed is returned for a key that works but cannot be shown: it was sealed
// with another PORTICO_SECRET. Its user generates a new one.
var ErrSealed = errors.New("the API key was sealed with another secret")

// Generate makes a new key for the user, whom a session speaks for; the old one
// ends at once, everywhere. It returns CodeUnauthenticated when access has ended
// since user was read.
func (k *Keys) Generate(ctx context.Context, user *model.User) (string, error) {
	var stored *model.APIKey
	err := k.db.InTx(ctx, func(tx *db.DB) error {
		if err := tx.LockAccess(ctx, user.ID, user.AccessVersion); err != nil {
			return err
		}
		if err := tx.RevokeKeyOf(ctx, user.ID); err != nil {
			return err
		}
		var err error
		stored, err = tx.AddKey(ctx, k.newKey(user.ID))
		return err
	})
	if err != nil {
		return "", err
	}
	return k.open(stored)
}

// Replace makes a new key in place of the caller's, which ends at once,
// everywhere. It returns CodeUnauthenticated, and changes nothing, when the
// caller's key is not valid any more.
func (k *Keys) Replace(ctx context.Context, caller *model.Caller) (string, error) {
	made := k.newKey(caller.UserID)
	if err := k.db.ReplaceKey(ctx, caller.KeyID, made); err != nil {
		return "", invalid(err)
	}
	return k.open(made)
}

// Revoke ends everything given out for the user: the key, at once and
// everywhere, codes and sessions. The session that asks can go on with the access
// version that user has afterwards.
func (k *Keys) Revoke(ctx context.Context, user *model.User) error {
	return k.db.EndAccess(ctx, user)
}

// RevokeOwn is Revoke for the holder of a key. It returns CodeUnauthenticated,
// and changes nothing, when the caller's key is not valid any more.
func (k *Keys) RevokeOwn(ctx context.Context, caller *model.Caller) error {
	return invalid(k.db.EndAccessByKey(ctx, caller.KeyID))
}

// RevokeKey is RevokeOwn for a key. It reports nothing of a key that is unknown or
// revoked already (RFC 7009 section 2.2).
func (k *Keys) RevokeKey(ctx context.Context, key string) error {
	caller, err := k.Caller(ctx, key)
	if err == nil {
		err = k.RevokeOwn(ctx, caller)
	}
	if model.CodeOf(err) == model.CodeUnauthenticated {
		return nil
	}
	return err
}

// invalid puts an error about a key that is not valid into the words of Caller.
func invalid(err error) error {
	if code := model.CodeOf(err); code == model.CodeUnauthenticated || code == model.CodeNotFound {
		return refused()
	}
	return err
}

// Show returns the user's key without making one: CodeNotFound when there is
// none, ErrSealed when it cannot be opened.
func (k *Keys) Show(ctx context.Context, userID string) (string, error) {
	stored, err := k.db.KeyOf(ctx, userID)
	if err != nil {
		return "", err
	}
	key, err := k.seal.Open(nil, nil, stored.Sealed, []byte(stored.UserID))
	if err != nil {
		return "", ErrSealed
	}
	return string(key), nil
}
