package db

import (
	"context"
	"database/sql"

	"portico/model"
)

const keyByLookup = "SELECT id, user_id, lookup, sealed, created_at FROM api_keys WHERE lookup = $1 AND revoked_at IS NULL"

// KeyByLookup returns the valid key with this lookup (the SHA-256 of the key).
func (db *DB) KeyByLookup(ctx context.Context, lookup []byte) (*model.APIKey, error) {
	key := new(model.APIKey)
	err := db.rows(ctx, func(row *sql.Rows) error {
		return row.Scan(&key.ID, &key.UserID, &key.Lookup, &key.Sealed, &key.CreatedAt)
	}, keyByLookup, lookup)
	if err == nil && key.ID == "" {
		err = model.NotFound("Key not found")
	}
	return key, err
}

// KeyOf returns the user's valid key.
func (db *DB) KeyOf(ctx context.Context, userID string) (*model.APIKey, error) {
	key := new(model.APIKey)
	err := db.idb.NewSelect().Model(key).
		Where("user_id = ? AND revoked_at IS NULL", userID).Scan(ctx)
	return key, one(err, "Key not found")
}

// AddKey stores the key unless the user has a valid one, and returns the one
// that is valid: two sign-ins at once get the same key.
func (db *DB) AddKey(ctx context.Context, key *model.APIKey) (*model.APIKey, error) {
	err := db.InTx(ctx, func(tx *DB) error {
		added, err := changed(tx.idb.NewInsert().Model(key).
			On("CONFLICT (user_id) WHERE revoked_at IS NULL DO NOTHING").Exec(ctx))
		if err != nil || !added {
			return err
		}
		return tx.record(ctx, model.EventKeyCreated, key.UserID, key.ID, "")
	})
	if err != nil {
		return nil, err
	}
	return db.KeyOf(ctx, key.UserID)
}
