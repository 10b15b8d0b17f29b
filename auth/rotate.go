package auth

import (
	"context"

	"portico/db"
	"portico/model"
)

// Generate creates a new key for the user of a session, and revokes the old one immediately, on all
// replicas. It returns CodeUnauthenticated if access has ended since user was read.
//
// Sessions of the account stay: the key is for programs.
func (k *Keys) Generate(ctx context.Context, user *model.User) (string, error) {
	var stored *model.APIKey
	err := k.db.InTx(ctx, func(tx *db.DB) error {
		if err := tx.Accounts().LockAccess(ctx, user.ID, user.AccessVersion); err != nil {
			return err
		}
		if err := tx.Keys().RevokeKeyOf(ctx, user.ID); err != nil {
			return err
		}
		var err error
		stored, err = tx.Keys().AddKey(ctx, k.newKey(user.ID))
		return err
	})
	if err != nil {
		return "", err
	}
	return k.open(stored)
}

// Replace creates a new key and revokes the caller's at once, on all replicas. It returns
// CodeUnauthenticated, and changes nothing, if the caller's key was revoked before.
func (k *Keys) Replace(ctx context.Context, caller *model.Caller) (string, error) {
	if caller.KeyID == "" {
		user, err := k.sessionUser(ctx, caller)
		if err != nil {
			return "", err
		}
		key, err := k.Generate(ctx, user)
		return key, asInvalidKey(err)
	}
	made := k.newKey(caller.UserID)
	if err := k.db.Keys().ReplaceKey(ctx, caller.KeyID, made); err != nil {
		return "", asInvalidKey(err)
	}
	return k.open(made)
}

// Revoke revokes all access to the account, immediately and on all replicas: its key, authorization
// codes and sessions. It sets the new access version in user, with which the session of the caller
// can continue.
func (k *Keys) Revoke(ctx context.Context, user *model.User) error {
	return k.db.Accounts().RevokeAccess(ctx, user)
}

// RevokeOwn revokes all access to the account of a caller with a key or a session, as Revoke does.
// It returns CodeUnauthenticated, and changes nothing, if the caller's key was revoked before.
func (k *Keys) RevokeOwn(ctx context.Context, caller *model.Caller) error {
	if caller.KeyID == "" {
		user, err := k.sessionUser(ctx, caller)
		if err != nil {
			return err
		}
		return asInvalidKey(k.Revoke(ctx, user))
	}
	return asInvalidKey(k.db.Accounts().RevokeAccessByKey(ctx, caller.KeyID))
}

// sessionUser returns the user of a caller with a session. It reads the user before it checks the
// session: if access is revoked in between, the user's version changes, which Generate and Revoke
// compare.
func (k *Keys) sessionUser(ctx context.Context, caller *model.Caller) (*model.User, error) {
	user, err := k.db.Accounts().User(ctx, caller.UserID)
	if err != nil {
		return nil, asInvalidKey(err)
	}
	if caller.CheckSession == nil {
		return nil, model.Unauthenticated()
	}
	return user, caller.CheckSession(ctx)
}

// RevokeKey revokes all access to the account of the key. It succeeds for a key that is unknown or
// was revoked before (RFC 7009 section 2.2).
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

// asInvalidKey converts the error for a key that is not valid to the error of Caller.
func asInvalidKey(err error) error {
	if code := model.CodeOf(err); code == model.CodeUnauthenticated || code == model.CodeNotFound {
		return model.Unauthenticated()
	}
	return err
}

// Show returns the user's key. It returns CodeNotFound if there is none, and model.ErrKeySealed if
// it cannot be decrypted.
func (k *Keys) Show(ctx context.Context, userID string) (string, error) {
	stored, err := k.db.Keys().KeyOf(ctx, userID)
	if err != nil {
		return "", err
	}
	return k.open(stored)
}
