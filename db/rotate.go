package db

import (
	"context"

	"portico/model"
)

// KeyTopic is announced when the key with this id is revoked.
func KeyTopic(id string) Topic { return Topic("key:" + id) }

// RevokeKey revokes the key with this id; one that is revoked already stays so.
func (db *DB) RevokeKey(ctx context.Context, id string) error {
	return db.revoke(ctx, "id = ?", id)
}

// RevokeKeyOf revokes the user's valid key, if there is one.
func (db *DB) RevokeKeyOf(ctx context.Context, userID string) error {
	return db.revoke(ctx, "user_id = ?", userID)
}

// revoke ends the valid keys that where finds, with the codes that would be
// exchanged for their successor: who revokes a key trusts no grant given with it.
func (db *DB) revoke(ctx context.Context, where, arg string) error {
	return db.InTx(ctx, func(tx *DB) error {
		var keys []*model.APIKey
		err := tx.idb.NewRaw("UPDATE api_keys SET revoked_at = now() WHERE revoked_at IS NULL AND "+where+
			" RETURNING id, user_id", arg).Scan(ctx, &keys)
		if err != nil {
			return translate(err)
		}
		for _, key := range keys {
			if _, err := tx.idb.ExecContext(ctx, "DELETE FROM oauth_codes WHERE user_id = ?", key.UserID); err != nil {
				return translate(err)
			}
			tx.Announce(KeyTopic(key.ID))
		}
		return nil
	})
}

// KeyIsValid tells whether the key with this id is there and not revoked.
func (db *DB) KeyIsValid(ctx context.Context, id string) (bool, error) {
	valid, err := db.idb.NewSelect().Model((*model.APIKey)(nil)).
		Where("id = ? AND revoked_at IS NULL", id).Exists(ctx)
	return valid, translate(err)
}
