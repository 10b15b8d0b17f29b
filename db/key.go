package db

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// validKey returns the condition that a key is valid. id is the parameter for
// model.Caller.UncheckedKey: "" if the key was already checked.
//
// It is part of the statements of the most frequent requests, so that they check the key and do the
// work in one round trip. The primary key of api_keys serves it.
func validKey(id string) string {
	return "(" + id + " = '' OR EXISTS (SELECT FROM api_keys AS k WHERE k.revoked_at IS NULL AND k.id = " + id + "))"
}

const keyByLookup = "SELECT id, user_id, lookup, sealed, created_at FROM api_keys WHERE lookup = $1 AND revoked_at IS NULL"

// KeyByLookup returns the valid key with this lookup (the SHA-256 of the key).
//
// The database has no key in plain text: lookup is its hash, and sealed is the key encrypted with
// the server's secret, for the account page (API section 5).
func (db *DB) KeyByLookup(ctx context.Context, lookup []byte) (*model.APIKey, error) {
	key := new(model.APIKey)
	err := db.rows(ctx, func(row *sql.Rows) error {
		return row.Scan(&key.ID, &key.UserID, &key.Lookup, &key.Sealed, &key.CreatedAt)
	}, keyByLookup, lookup)
	if err == nil && key.ID == "" {
		err = model.NotFound(model.KeyNotFound)
	}
	return key, err
}

// KeyOf returns the user's valid key.
func (db *DB) KeyOf(ctx context.Context, userID string) (*model.APIKey, error) {
	key := new(model.APIKey)
	err := db.idb.NewSelect().Model(key).
		Where(belongsTo("?")+" AND revoked_at IS NULL", userID).Scan(ctx)
	return key, translateNotFound(err, model.KeyNotFound)
}

// AddKey stores the key unless the user has a valid key, and returns the valid one: two
// concurrent sign-ins get the same key.
//
// The unique index api_keys_valid allows one key without revoked_at for each user. The insert that
// waits for another one does nothing, and KeyOf returns the key of the other (API section 5: an
// existing key is returned, never replaced).
func (db *DB) AddKey(ctx context.Context, key *model.APIKey) (*model.APIKey, error) {
	err := db.InTx(ctx, func(tx *DB) error {
		added, err := rowChanged(tx.idb.NewInsert().Model(key).
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

// RevokeKeyOf revokes the user's valid key, if there is one, with what acts for the account
// (endDelegated) and the uploads that the key has asked for. It deletes the user's authorization
// codes, which could be exchanged for the next key.
func (db *DB) RevokeKeyOf(ctx context.Context, userID string) error {
	return db.InTx(ctx, func(tx *DB) error {
		revoked, err := tx.revokeKeys(ctx, userID)
		if err != nil || len(revoked) == 0 {
			return err
		}
		return tx.endWithKey(ctx, userID, revoked[0])
	})
}

// revokeKeys revokes the user's valid key, deletes the user's authorization codes, and returns the
// id of the key, if there was one. The row stays, with the time of its revocation.
func (db *DB) revokeKeys(ctx context.Context, userID string) (revoked []string, err error) {
	err = db.idb.NewRaw("UPDATE api_keys SET revoked_at = now() WHERE revoked_at IS NULL AND "+belongsTo("?")+" RETURNING id",
		userID).Scan(ctx, &revoked)
	if err != nil {
		return nil, translate(err)
	}
	for _, id := range revoked {
		if err := db.record(ctx, model.EventKeyRevoked, userID, id, ""); err != nil {
			return nil, err
		}
		db.Announce(TopicRevoked)
	}
	_, err = db.idb.ExecContext(ctx, "DELETE FROM oauth_codes WHERE "+belongsTo("?"), userID)
	return revoked, translate(err)
}

// endWithKey ends what ends with a key that was revoked, but not with the sessions of its account.
func (db *DB) endWithKey(ctx context.Context, userID, keyID string) error {
	if err := db.endDelegated(ctx, userID); err != nil {
		return err
	}
	return db.discardUploads(ctx, "key_id = ?", userID, keyID)
}

// ReplaceKey revokes the key with the old id, stores the new key of the same user and
// deletes the user's authorization codes. When the old key is not valid any more it
// changes nothing and returns CodeUnauthenticated.
//
// The old id makes it safe to repeat: a request that is sent twice does not revoke the key that the
// first one returned.
func (db *DB) ReplaceKey(ctx context.Context, oldID string, key *model.APIKey) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.replaceKey(ctx, oldID, key); err != nil {
			return err
		}
		if err := tx.record(ctx, model.EventKeyRevoked, key.UserID, oldID, ""); err != nil {
			return err
		}
		if err := tx.endWithKey(ctx, key.UserID, oldID); err != nil {
			return err
		}
		return tx.record(ctx, model.EventKeyCreated, key.UserID, key.ID, "")
	})
}

// replaceKey is ReplaceKey without the audit trail.
//
// It is one statement: of two requests that replace the same key, the second waits for
// the first and then finds the old key revoked.
//
// MATERIALIZED locks the account before the update reads the key. The insert reads from the update,
// so the old key is revoked before the unique index api_keys_valid sees the new one.
func (db *DB) replaceKey(ctx context.Context, oldID string, key *model.APIKey) error {
	replaced, err := rowChanged(db.idb.ExecContext(ctx, `
		WITH owner AS MATERIALIZED (
			SELECT id FROM users WHERE id = ? FOR NO KEY UPDATE
		), replaced AS (
			UPDATE api_keys SET revoked_at = now() FROM owner
			WHERE api_keys.id = ? AND api_keys.user_id = owner.id AND revoked_at IS NULL
			RETURNING api_keys.user_id
		), ended AS (
			DELETE FROM oauth_codes USING replaced WHERE oauth_codes.user_id = replaced.user_id
		)
		INSERT INTO api_keys (id, user_id, lookup, sealed, created_at) SELECT ?, user_id, ?, ?, ? FROM replaced`,
		key.UserID, oldID, key.ID, key.Lookup, key.Sealed, key.CreatedAt))
	if err == nil && !replaced {
		return errAccessRevoked()
	}
	if err == nil {
		db.Announce(TopicRevoked)
	}
	return err
}

// KeyIsValid reports whether the key with this id exists and is not revoked.
func (db *DB) KeyIsValid(ctx context.Context, id string) (bool, error) {
	valid := false
	err := db.rows(ctx, func(row *sql.Rows) error { return row.Scan(&valid) }, keyIsValid, id)
	return valid, err
}

const keyIsValid = "SELECT EXISTS (SELECT FROM api_keys WHERE id = $1 AND revoked_at IS NULL)"

// InvalidKeys returns the ids whose keys are not valid.
//
// Keys.Watch in package auth asks for all keys of the process at once after TopicRevoked.
func (db *DB) InvalidKeys(ctx context.Context, ids []string) ([]string, error) {
	var invalid []string
	err := db.idb.NewRaw(`
		SELECT id FROM unnest(?::text[]) AS watched (id)
		WHERE NOT EXISTS (SELECT FROM api_keys WHERE api_keys.id = watched.id AND revoked_at IS NULL)`,
		pgdialect.Array(ids)).Scan(ctx, &invalid)
	return invalid, translate(err)
}

// uncheckedKey returns the id of the key that a statement must check; "" where the caller's key
// was checked before, and for no caller.
func uncheckedKey(ctx context.Context) string { return model.CallerFrom(ctx).UncheckedKey() }
