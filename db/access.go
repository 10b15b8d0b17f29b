package db

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"portico/model"
)

// errAccessRevoked is the error for a key, a code or a session that was issued before
// RevokeAccess.
//
// The caller was authenticated once, so the response asks for a new sign-in instead of calling the
// credentials wrong. Doors render it as 401 (API section 5).
func errAccessRevoked() error {
	return &model.Error{Code: model.CodeUnauthenticated, Message: "Sign in again"}
}

// LockUser returns the account and locks it: no other transaction grants or revokes access to the
// account until this one ends. NO KEY UPDATE lets other transactions insert rows that refer to the
// account, such as uploads and jobs: their foreign keys take KEY SHARE, which waits for a deletion
// only.
func (db Accounts) LockUser(ctx context.Context, id string) (*model.User, error) {
	user := new(model.User)
	err := db.idb.NewSelect().Model(user).Where("id = ?", id).For("NO KEY UPDATE").Scan(ctx)
	return user, translateNotFound(err, model.UserNotFound)
}

// preventUserDeletion locks the account that the query selects by arg: no other transaction deletes
// it until this one ends. A transaction that changes a row of the account, and afterwards adds a
// row that refers to the account, calls it first. Otherwise the new row would wait for DeleteUser,
// which has locked the account and waits for the changed row.
func (db Accounts) preventUserDeletion(ctx context.Context, query, arg string) error {
	_, err := db.idb.ExecContext(ctx, "SELECT FROM users WHERE id = ("+query+") FOR KEY SHARE", arg)
	return translate(err)
}

// LockAccess is LockUser for a caller whose access was granted at this version of the account. It
// returns CodeUnauthenticated if access was revoked since then.
//
// Every transaction that grants or revokes access locks the user first, then keys, then codes. So
// the later of two transactions sees the changes of the earlier one, and they cannot deadlock.
func (db Accounts) LockAccess(ctx context.Context, userID string, version int64) error {
	user, err := db.LockUser(ctx, userID)
	if model.CodeOf(err) == model.CodeNotFound || err == nil && user.AccessVersion != version {
		return errAccessRevoked()
	}
	return err
}

// incrementAccessVersion ends all sessions of the account except those that MoveSession moves to the
// new version. It updates user.AccessVersion. It returns CodeUnauthenticated if access was
// revoked since user was read.
//
// TopicRevoked makes every process ask InvalidSessions and InvalidKeys about what its streams hold.
// A request in between is refused too, because it compares the version that its session carries.
func (db Accounts) incrementAccessVersion(ctx context.Context, user *model.User) error {
	if err := db.LockAccess(ctx, user.ID, user.AccessVersion); err != nil {
		return err
	}
	_, err := db.idb.ExecContext(ctx, "UPDATE users SET access_version = access_version + 1 WHERE id = ?", user.ID)
	if err != nil {
		return translate(err)
	}
	user.AccessVersion++
	db.Announce(TopicRevoked) // streams of sessions end too, even if the account has no key
	return nil
}

// RevokeAccess revokes all access to the account: its key, its authorization codes, by a new access
// version its sessions, and what acts for the account (endDelegated), with all unconfirmed uploads
// and mailed links. It updates user.AccessVersion. It returns CodeUnauthenticated if access was
// revoked since user was read. All of it is one transaction: a crash leaves either the old access
// or none, never a revoked key with live sessions.
func (db Accounts) RevokeAccess(ctx context.Context, user *model.User) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.Accounts().incrementAccessVersion(ctx, user); err != nil {
			return err
		}
		if _, err := tx.Keys().revokeKeys(ctx, user.ID); err != nil {
			return err
		}
		if err := tx.Keys().endDelegated(ctx, user.ID); err != nil {
			return err
		}
		if err := tx.Keys().discardUploads(ctx, "TRUE", user.ID); err != nil {
			return err
		}
		return tx.Keys().endWaitingMail(ctx, user)
	})
}

// RevokeAccessByKey is RevokeAccess for the holder of the key with this id. It returns
// CodeUnauthenticated when the key is not valid. The account is locked through its key, so a key
// that has been deleted with its account finds nothing.
func (db Accounts) RevokeAccessByKey(ctx context.Context, keyID string) error {
	return db.InTx(ctx, func(tx *DB) error {
		user := new(model.User)
		err := tx.idb.NewSelect().Model(user).
			Where("id = (SELECT user_id FROM api_keys WHERE id = ?)", keyID).For("NO KEY UPDATE").Scan(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			return errAccessRevoked()
		}
		if err != nil {
			return translate(err)
		}
		// Checked under the lock: another request may have revoked the key meanwhile.
		valid, err := tx.Keys().KeyIsValid(ctx, keyID)
		if err != nil {
			return err
		}
		if !valid {
			return errAccessRevoked()
		}
		return tx.Accounts().RevokeAccess(ctx, user)
	})
}

// SetPassword stores the hash of a new password, "" for none, and revokes all existing access.
//
// A sign-in that has checked the old password before the commit gets a session of the old access
// version, which is not valid.
func (db Accounts) SetPassword(ctx context.Context, userID, hash string) error {
	return db.InTx(ctx, func(tx *DB) error {
		user, err := tx.Accounts().LockUser(ctx, userID)
		if err != nil {
			return err
		}
		_, err = tx.idb.ExecContext(ctx,
			"UPDATE users SET password_hash = ?, changed_at = ? WHERE id = ?", hash, model.Now(), userID)
		if err != nil {
			return translate(err)
		}
		event := model.NewSecurityEvent(ctx, model.EventPasswordChanged, userID)
		if hash == "" {
			event.Reason = model.EventReasonPasswordRemoved
		}
		if err := tx.Audit().AddSecurityEvent(ctx, event); err != nil {
			return err
		}
		return tx.Accounts().RevokeAccess(ctx, user)
	})
}

// RevokeSessions revokes all sessions and authorization codes of the account, but not its key. It
// updates user.AccessVersion. It returns CodeUnauthenticated if access was revoked since user was
// read. MoveSession can keep one session. The audit trail has the reason. The codes are
// deleted although the key stays: an attacker who had a session could exchange a code for the key.
func (db Accounts) RevokeSessions(ctx context.Context, user *model.User, reason model.SecurityEventReason) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.Accounts().incrementAccessVersion(ctx, user); err != nil {
			return err
		}
		if _, err := tx.idb.ExecContext(ctx, "DELETE FROM oauth_codes WHERE "+belongsTo("?"), user.ID); err != nil {
			return translate(err)
		}
		return tx.Audit().AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventSessionsEnded, user.ID).WithReason(reason))
	})
}

// DeleteUser deletes the account with everything that it has, and schedules the removal of
// its folder in the store. It calls check when no other transaction can issue or end
// access to the account any more; an error of check undoes the deletion.
//
// The objects are deleted by the worker or by the caller, after the commit. A crash in between
// loses nothing: the removal is committed with the deletion.
func (db Accounts) DeleteUser(ctx context.Context, id string, check func() error) error {
	return db.InTx(ctx, func(tx *DB) error {
		email, err := tx.Accounts().deleteSpacesAndLockUser(ctx, id)
		if err != nil {
			return err
		}
		if err := check(); err != nil {
			return err
		}
		if err := tx.Accounts().removeFolderOf(ctx, id); err != nil {
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
		if err := tx.Audit().record(ctx, model.EventAccountDeleted, id, "", email); err != nil {
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
func (db Accounts) deleteSpacesAndLockUser(ctx context.Context, id string) (email string, err error) {
	err = db.lockInOrder(ctx, func(tx *DB) (complete bool, err error) {
		if err := tx.Accounts().deleteSpacesOf(ctx, id); err != nil {
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
func (db Accounts) deleteSpacesOf(ctx context.Context, userID string) error {
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
func (db Accounts) removeFolderOf(ctx context.Context, userID string) error {
	var open []*model.Upload
	err := db.idb.NewSelect().Model(&open).ColumnExpr(uploadColumns).Where(belongsTo("?")+" AND state = 'pending'", userID).Scan(ctx)
	if err != nil {
		return translate(err)
	}
	for _, upload := range open {
		if err := db.Files().AddRemoval(ctx, RemovalOf(upload)); err != nil {
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
	return db.Files().AddRemoval(ctx, Removal{Key: model.UserFolder(userID), Due: due, UserID: userID, Sweep: now})
}
