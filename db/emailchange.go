package db

import (
	"context"
	"database/sql"
	"errors"

	"portico/model"
)

// StartEmailChange queues a mail with a link that makes mail.To the address of the account, and
// stores that the change waits for this link. The change replaces an earlier one, whose links end.
// If mail.To is the address of the account already, the link only confirms the address.
func (db *DB) StartEmailChange(ctx context.Context, mail model.Mail) error {
	return db.InTx(ctx, func(tx *DB) error {
		user, err := tx.LockUser(ctx, mail.UserID)
		if err != nil {
			return err
		}
		if mail.To != user.Email {
			if err := tx.endEmailChange(ctx, user); err != nil {
				return err
			}
			_, err := tx.idb.ExecContext(ctx, `INSERT INTO email_changes (user_id, email, expires_at)
				VALUES (?, ?, now() + ? * interval '1 second')`, user.ID, mail.To, model.ConfirmLifetime.Seconds())
			if err != nil {
				return translate(err)
			}
		}
		return tx.EnqueueMail(ctx, mail)
	})
}

// EmailChange returns the change of the account's address that waits for its link; nil if there is
// none.
func (db *DB) EmailChange(ctx context.Context, userID string) (*model.EmailChange, error) {
	change := new(model.EmailChange)
	err := db.idb.NewRaw("SELECT email, requested_at, expires_at FROM email_changes WHERE "+belongsTo("?")+" AND expires_at > now()",
		userID).Scan(ctx, change)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return change, translate(err)
}

// CancelEmailChange ends the change that waits, with its links. A mail that is still in the queue
// is not sent, because AddMailedLink finds no change for its address. It returns CodeNotFound if no
// change waits.
func (db *DB) CancelEmailChange(ctx context.Context, userID string) error {
	return db.InTx(ctx, func(tx *DB) error {
		user, err := tx.LockUser(ctx, userID)
		if err != nil {
			return err
		}
		waiting, err := tx.EmailChange(ctx, userID)
		if err == nil && waiting == nil {
			err = model.NotFound(model.EmailChangeNotFound)
		}
		if err != nil {
			return err
		}
		return tx.endEmailChange(ctx, user)
	})
}

// endEmailChange removes the change of the account's address, and ends the links to all new
// addresses. A link that confirms the present address stays valid. The caller has locked the
// account.
func (db *DB) endEmailChange(ctx context.Context, user *model.User) error {
	if _, err := db.idb.ExecContext(ctx, "DELETE FROM email_changes WHERE "+belongsTo("?"), user.ID); err != nil {
		return translate(err)
	}
	_, err := db.idb.ExecContext(ctx, `UPDATE mailed_links SET ended_at = now()
		WHERE `+belongsTo("?")+` AND purpose = ? AND email <> ? AND ended_at IS NULL`, user.ID, model.MailConfirm, user.Email)
	return translate(err)
}

// extendEmailChange makes the waiting change to link.Email last as long as its new link, and
// reports whether there is one. An expired change stays expired.
func (db *DB) extendEmailChange(ctx context.Context, link MailedLink) (bool, error) {
	return rowChanged(db.idb.ExecContext(ctx, `UPDATE email_changes SET expires_at = now() + ? * interval '1 second'
		WHERE `+belongsTo("?")+` AND email = ? AND expires_at > now()`, link.ValidFor.Seconds(), link.UserID, link.Email))
}
