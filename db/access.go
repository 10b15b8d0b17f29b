package db

import (
	"context"
	"database/sql"
	"errors"

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
func (db *DB) LockUser(ctx context.Context, id string) (*model.User, error) {
	user := new(model.User)
	err := db.idb.NewSelect().Model(user).Where("id = ?", id).For("NO KEY UPDATE").Scan(ctx)
	return user, translateNotFound(err, model.UserNotFound)
}

// preventUserDeletion locks the account that the query selects by arg: no other transaction deletes
// it until this one ends. A transaction that changes a row of the account, and afterwards adds a
// row that refers to the account, calls it first. Otherwise the new row would wait for DeleteUser,
// which has locked the account and waits for the changed row.
func (db *DB) preventUserDeletion(ctx context.Context, query, arg string) error {
	_, err := db.idb.ExecContext(ctx, "SELECT FROM users WHERE id = ("+query+") FOR KEY SHARE", arg)
	return translate(err)
}

// LockAccess is LockUser for a caller whose access was granted at this version of the account. It
// returns CodeUnauthenticated if access was revoked since then.
//
// Every transaction that grants or revokes access locks the user first, then keys, then codes. So
// the later of two transactions sees the changes of the earlier one, and they cannot deadlock.
func (db *DB) LockAccess(ctx context.Context, userID string, version int64) error {
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
func (db *DB) incrementAccessVersion(ctx context.Context, user *model.User) error {
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
func (db *DB) RevokeAccess(ctx context.Context, user *model.User) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.incrementAccessVersion(ctx, user); err != nil {
			return err
		}
		if _, err := tx.revokeKeys(ctx, user.ID); err != nil {
			return err
		}
		if err := tx.endDelegated(ctx, user.ID); err != nil {
			return err
		}
		if err := tx.discardUploads(ctx, "TRUE", user.ID); err != nil {
			return err
		}
		return tx.endWaitingMail(ctx, user)
	})
}

// RevokeAccessByKey is RevokeAccess for the holder of the key with this id. It returns
// CodeUnauthenticated when the key is not valid. The account is locked through its key, so a key
// that has been deleted with its account finds nothing.
func (db *DB) RevokeAccessByKey(ctx context.Context, keyID string) error {
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
		valid, err := tx.KeyIsValid(ctx, keyID)
		if err != nil {
			return err
		}
		if !valid {
			return errAccessRevoked()
		}
		return tx.RevokeAccess(ctx, user)
	})
}

// SetPassword stores the hash of a new password, "" for none, and revokes all existing access.
//
// A sign-in that has checked the old password before the commit gets a session of the old access
// version, which is not valid.
func (db *DB) SetPassword(ctx context.Context, userID, hash string) error {
	return db.InTx(ctx, func(tx *DB) error {
		user, err := tx.LockUser(ctx, userID)
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
		if err := tx.AddSecurityEvent(ctx, event); err != nil {
			return err
		}
		return tx.RevokeAccess(ctx, user)
	})
}

// RevokeSessions revokes all sessions and authorization codes of the account, but not its key. It
// updates user.AccessVersion. It returns CodeUnauthenticated if access was revoked since user was
// read. MoveSession can keep one session. The audit trail has the reason. The codes are
// deleted although the key stays: an attacker who had a session could exchange a code for the key.
func (db *DB) RevokeSessions(ctx context.Context, user *model.User, reason model.SecurityEventReason) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.incrementAccessVersion(ctx, user); err != nil {
			return err
		}
		if _, err := tx.idb.ExecContext(ctx, "DELETE FROM oauth_codes WHERE "+belongsTo("?"), user.ID); err != nil {
			return translate(err)
		}
		return tx.AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventSessionsEnded, user.ID).WithReason(reason))
	})
}
