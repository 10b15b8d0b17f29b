package db

import (
	"context"
	"time"

	"portico/model"
)

// DeleteUser deletes the account with everything that it has, and schedules the removal of
// its folder in the store. It calls check when no other transaction can issue or end
// access to the account any more; an error of check undoes the deletion.
//
// The objects are deleted by the worker or by the caller, after the commit. A crash in between
// loses nothing: the removal is committed with the deletion.
func (db *DB) DeleteUser(ctx context.Context, id string, check func() error) error {
	return db.InTx(ctx, func(tx *DB) error {
		email, err := tx.deleteSpacesAndLockUser(ctx, id)
		if err != nil {
			return err
		}
		if err := check(); err != nil {
			return err
		}
		if err := tx.removeFolderOf(ctx, id); err != nil {
			return err
		}
		// In this order, because a file and a job refer to an upload. The other tables
		// follow the account.
		for _, table := range []string{"jobs", "files", "uploads"} {
			if _, err := tx.idb.ExecContext(ctx, "DELETE FROM "+table+" WHERE "+belongsTo("?"), id); err != nil {
				return translate(err)
			}
		}
		// The event keeps the address: it says whose the earlier events of this id were.
		if err := tx.record(ctx, model.EventAccountDeleted, id, "", email); err != nil {
			return err
		}
		_, err = tx.idb.ExecContext(ctx, "SELECT delete_account(?)", id)
		tx.Announce(TopicRevoked, JobsTopic(id), FilesTopic(id), SpacesTopic(id))
		return translate(err)
	})
}

// deleteSpacesAndLockUser deletes the spaces of the account, locks the account, and returns its
// e-mail address. Afterwards nobody can add a space, because its foreign key waits for the lock.
//
// Locks are taken in the order of all writers: rows of spaces, then the parts of the sum of JSON,
// then the account.
func (db *DB) deleteSpacesAndLockUser(ctx context.Context, id string) (email string, err error) {
	err = db.lockInOrder(ctx, func(tx *DB) (complete bool, err error) {
		if err := tx.deleteSpacesOf(ctx, id); err != nil {
			return false, err
		}
		if _, err := tx.idb.ExecContext(ctx, "SELECT FROM json_usage WHERE "+belongsTo("?")+" ORDER BY part FOR UPDATE", id); err != nil {
			return false, translate(err)
		}
		if err := tx.idb.NewRaw("SELECT email FROM users WHERE id = ? FOR UPDATE", id).Scan(ctx, &email); err != nil {
			return false, translateNotFound(err, model.UserNotFound)
		}
		err = tx.idb.NewRaw("SELECT NOT EXISTS (SELECT FROM spaces WHERE "+ownedBy("?")+")", id).Scan(ctx, &complete)
		return complete, translate(err)
	})
	return email, err
}

// deleteSpacesOf deletes the spaces of the account with their entities. It locks them first,
// because DELETE would lock them in any order.
func (db *DB) deleteSpacesOf(ctx context.Context, userID string) error {
	if _, err := db.idb.ExecContext(ctx, "SELECT FROM spaces WHERE "+ownedBy("?")+" ORDER BY id FOR UPDATE", userID); err != nil {
		return translate(err)
	}
	var ids []string
	if err := db.idb.NewRaw("DELETE FROM spaces WHERE "+ownedBy("?")+" RETURNING id", userID).Scan(ctx, &ids); err != nil {
		return translate(err)
	}
	for _, id := range ids {
		db.Announce(SpaceTopic(id))
	}
	return nil
}

// removeFolderOf schedules the removal of everything that the account has stored: now, and
// again when no worker and no presigned URL writes there any more. The pieces of an upload
// that is not complete are not in the folder.
//
// The folder is due when the last presigned URL and the longest job have ended, whichever is later.
// Until then sweeps delete what still arrives.
func (db *DB) removeFolderOf(ctx context.Context, userID string) error {
	var open []*model.Upload
	err := db.idb.NewSelect().Model(&open).ColumnExpr(uploadColumns).Where(belongsTo("?")+" AND state = 'pending'", userID).Scan(ctx)
	if err != nil {
		return translate(err)
	}
	for _, upload := range open {
		if err := db.AddRemoval(ctx, RemovalOf(upload)); err != nil {
			return err
		}
	}
	var last struct{ ExpiresAt model.Time }
	err = db.idb.NewRaw("SELECT greatest(now(), max(expires_at)) AS expires_at FROM uploads WHERE "+belongsTo("?"), userID).Scan(ctx, &last)
	if err != nil {
		return translate(err)
	}
	now := time.Now()
	due := (&model.Upload{ExpiresAt: last.ExpiresAt}).GraceEnds()
	if derived := model.DerivedUntil(now); derived.After(due) {
		due = derived
	}
	return db.AddRemoval(ctx, Removal{Key: model.UserFolder(userID), Due: due, UserID: userID, Sweep: now})
}
