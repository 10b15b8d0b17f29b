package db

import (
	"context"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"
)

// SetAccountPicture makes the stored object the picture of the account, and schedules the removal
// of the previous picture. An empty key removes the picture. It undoes the removal that was scheduled
// for the new object before it was stored.
//
// The lock on the account makes two changes of one picture run one after the other, so the second
// change removes the object that the first change stored. If the process dies before the commit,
// that scheduled removal stays, and deletes the new object after its grace period.
func (db *DB) SetAccountPicture(ctx context.Context, userID, key string) error {
	return db.InTx(ctx, func(tx *DB) error {
		if _, err := tx.LockUser(ctx, userID); err != nil {
			return err
		}
		var before []string
		err := tx.idb.NewRaw("DELETE FROM account_pictures WHERE "+belongsTo("?")+" RETURNING storage_key", userID).Scan(ctx, &before)
		if err != nil {
			return translate(err)
		}
		if err := tx.ScheduleRemovals(ctx, time.Now(), before...); err != nil || key == "" {
			return err
		}
		_, err = tx.idb.ExecContext(ctx, `WITH kept AS (DELETE FROM removals WHERE key = ?1)
			INSERT INTO account_pictures (user_id, storage_key) VALUES (?0, ?1)`, userID, key)
		return translate(err)
	})
}

// AccountPictures returns the storage keys of the pictures of these accounts, by the id of the
// account. Accounts without a picture are missing.
func (db *DB) AccountPictures(ctx context.Context, userIDs []string) (map[string]string, error) {
	var found []struct{ UserID, StorageKey string }
	err := db.idb.NewRaw("SELECT user_id, storage_key FROM account_pictures WHERE user_id = ANY(?::text[])", pgdialect.Array(userIDs)).
		Scan(ctx, &found)
	pictures := make(map[string]string, len(found))
	for _, picture := range found {
		pictures[picture.UserID] = picture.StorageKey
	}
	return pictures, translate(err)
}
