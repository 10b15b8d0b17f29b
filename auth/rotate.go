package auth

import (
	"context"
	"errors"
	"time"

	"portico/db"
	"portico/model"
)

// ErrSealed is returned for a key that works but cannot be shown: it was sealed
// with another PORTICO_SECRET. Its user generates a new one.
var ErrSealed = errors.New("the API key was sealed with another secret")

// Generate makes a new key for the user; the old one ends at once, everywhere.
// Of two that generate at the same moment, both may get the same new key.
func (k *Keys) Generate(ctx context.Context, userID string) (string, error) {
	var stored *model.APIKey
	err := k.db.InTx(ctx, func(tx *db.DB) error {
		if err := tx.RevokeKeyOf(ctx, userID); err != nil {
			return err
		}
		var err error
		stored, err = tx.AddKey(ctx, k.newKey(userID))
		return err
	})
	if err != nil {
		return "", err
	}
	return k.open(stored)
}

// Revoke ends the user's key at once, everywhere. A user without one is fine.
func (k *Keys) Revoke(ctx context.Context, userID string) error {
	return k.db.RevokeKeyOf(ctx, userID)
}

// RevokeKey ends this key at once, everywhere. It reports nothing of a key that
// is unknown or revoked already (RFC 7009 section 2.2).
func (k *Keys) RevokeKey(ctx context.Context, key string) error {
	caller, err := k.Caller(ctx, key)
	if model.CodeOf(err) == model.CodeUnauthenticated {
		return nil
	}
	if err != nil {
		return err
	}
	return k.db.RevokeKey(ctx, caller.KeyID)
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

// recheck is how often a watched key is read without an announcement: the last
// resort, for one that was lost on the way.
const recheck = 10 * time.Second

// Watch returns a context that ends when the key with this id is revoked, on
// whichever replica; its cause is then the CodeUnauthenticated error that
// Caller gives for such a key. Call the function to stop watching.
func (k *Keys) Watch(ctx context.Context, keyID string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	// Before the first look: a revocation in between is not missed.
	revoked := k.db.Watch(ctx, db.KeyTopic(keyID))
	go k.watch(ctx, cancel, keyID, revoked)
	return ctx, func() { cancel(context.Canceled) }
}

func (k *Keys) watch(ctx context.Context, cancel context.CancelCauseFunc, keyID string, revoked <-chan struct{}) {
	ticker := time.NewTicker(recheck)
	defer ticker.Stop()
	for ctx.Err() == nil {
		// A database that does not answer says nothing about the key.
		if valid, err := k.db.KeyIsValid(ctx, keyID); err == nil && !valid {
			cancel(&model.Error{Code: model.CodeUnauthenticated, Message: invalidKey})
			return
		}
		select {
		case <-ctx.Done():
		case <-revoked:
		case <-ticker.C:
		}
	}
}
