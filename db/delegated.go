package db

import (
	"context"
	"database/sql"
	"errors"

	"portico/model"
)

// endDelegated ends what acts for the account without presenting a key or a session each time. Call
// it in the transaction that ends a key, which has locked the account:
//
//	webhooks          disabled until the owner enables them again, with a notification
//	signed addresses  of exports and protected files: they contain the KeyVersion of the account
//	app consents      removed: no app has the key any more
//
// Otherwise somebody who had the account for a minute would go on to receive its events.
func (db *DB) endDelegated(ctx context.Context, userID string) error {
	for _, statement := range []string{
		"UPDATE users SET key_version = key_version + 1 WHERE id = ?",
		"DELETE FROM oauth_consents WHERE " + belongsTo("?"),
	} {
		if _, err := db.idb.ExecContext(ctx, statement, userID); err != nil {
			return translate(err)
		}
	}
	var enabled []string
	err := db.idb.NewRaw("SELECT id FROM webhooks WHERE "+belongsTo("?")+" AND disabled_at IS NULL ORDER BY id FOR NO KEY UPDATE", userID).
		Scan(ctx, &enabled)
	if err != nil {
		return translate(err)
	}
	for _, id := range enabled {
		if err := db.disableWebhook(ctx, id, model.WebhookAccessEnded, nil); err != nil {
			return err
		}
	}
	return nil
}

// discardUploads discards the pending uploads of the account for which the condition is true, and
// schedules the removal of their bytes. Their addresses then store nothing.
func (db *DB) discardUploads(ctx context.Context, condition, userID string, args ...any) error {
	var discarded []*model.Upload
	err := db.idb.NewRaw(`
		UPDATE uploads SET state = 'discarded' WHERE id IN (
			SELECT id FROM uploads WHERE `+belongsTo("?")+` AND state = 'pending' AND `+condition+` ORDER BY id FOR UPDATE)
		RETURNING user_id, resource_key, size, resumable, expires_at`, append([]any{userID}, args...)...).Scan(ctx, &discarded)
	if err != nil {
		return translate(err)
	}
	for _, upload := range discarded {
		if err := db.AddRemoval(ctx, RemovalOf(upload)); err != nil {
			return err
		}
	}
	return nil
}

// endWaitingMail ends the links that were mailed for the account: those that set a password, and
// those to a new address, with the change that waits for one.
func (db *DB) endWaitingMail(ctx context.Context, user *model.User) error {
	if err := db.endMailedLinks(ctx, user.ID, model.MailReset, user.Email); err != nil {
		return err
	}
	return db.endEmailChange(ctx, user)
}

// CheckAccess returns CodeUnauthenticated if the key or the session of the caller in ctx has ended.
// A transaction that stores what acts for the account calls it when it has locked the account:
// otherwise a request that was authenticated before would store it after its access has ended.
func (db *DB) CheckAccess(ctx context.Context) error {
	caller := model.CallerFrom(ctx)
	if caller == nil {
		return nil
	}
	var ended bool
	err := db.idb.NewRaw(`SELECT EXISTS (SELECT FROM api_keys WHERE id = ? AND revoked_at IS NOT NULL)
		OR EXISTS (SELECT FROM sessions JOIN users ON users.id = sessions.user_id
			WHERE token = ? AND (ended_at IS NOT NULL OR sessions.access_version <> users.access_version))`,
		caller.KeyID, caller.Session).Scan(ctx, &ended)
	if err == nil && ended {
		return errAccessRevoked()
	}
	return translate(err)
}

// KeyVersion returns the KeyVersion of the account; 0 if there is no such account.
func (db *DB) KeyVersion(ctx context.Context, userID string) (version int64, err error) {
	err = db.idb.NewRaw("SELECT key_version FROM users WHERE id = ?", userID).Scan(ctx, &version)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return version, translate(err)
}
