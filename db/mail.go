package db

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"portico/model"
)

// MailKind is the kind, and the queue, under which River sends mail.
const MailKind = "mail"

// MailAttempts is how many times a mail is tried, over about an hour, before it is given up.
const MailAttempts = 7

// linkInvalid is the text for a link that does not exist, was used, was replaced or is too old.
const linkInvalid = "This link does not work any more. Ask for a new one"

// MailedLink is a link to store.
//
// The token is only in the mail. The database has its hash, so a stolen backup opens no account.
type MailedLink struct {
	Hash     []byte // the SHA-256 of its token
	UserID   string
	Purpose  model.MailKind
	Email    string // where it is sent to
	ValidFor time.Duration
}

// AddMailedLink stores the link. It reports false, and stores nothing, when the account has
// received too many within an hour, or when the link is for a new address and its change was
// canceled or replaced, or has expired. The earlier links stay valid until EndEarlierLinks, because
// the mail with this one may not be sent.
//
// The lock on the account makes the count exact. The limit is for the account, not for the address
// of the sender of the request: it protects the owner of the mailbox.
func (db SignIns) AddMailedLink(ctx context.Context, link MailedLink) (added bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		user, err := tx.Accounts().LockUser(ctx, link.UserID)
		if err != nil {
			return err
		}
		var recent int
		err = tx.idb.NewRaw(`SELECT count(*) FROM mailed_links
			WHERE `+belongsTo("?")+` AND purpose = ? AND created_at > now() - interval '1 hour'`,
			link.UserID, link.Purpose).Scan(ctx, &recent)
		if err != nil || recent >= model.MaxMailsPerHour {
			return translate(err)
		}
		if link.Purpose == model.MailConfirm && link.Email != user.Email {
			if waits, err := tx.SignIns().extendEmailChange(ctx, link); err != nil || !waits {
				return err
			}
		}
		_, err = tx.idb.ExecContext(ctx, `INSERT INTO mailed_links (hash, user_id, purpose, email, expires_at)
			VALUES (?, ?, ?, ?, now() + ? * interval '1 second')`,
			link.Hash, link.UserID, link.Purpose, link.Email, link.ValidFor.Seconds())
		added = err == nil
		return translate(err)
	})
	return added, err
}

// RemoveMailedLink removes a link whose mail was not sent. The mail then
// does not count in the limit of AddMailedLink.
func (db SignIns) RemoveMailedLink(ctx context.Context, tokenHash []byte) error {
	_, err := db.idb.ExecContext(ctx, "DELETE FROM mailed_links WHERE hash = ?", tokenHash)
	return translate(err)
}

// EndEarlierLinks ends the links for the same account, purpose and address that are older than the
// link with this hash, whose mail was sent. Later links stay valid: of two mails that are sent at
// the same time, one must work.
func (db SignIns) EndEarlierLinks(ctx context.Context, tokenHash []byte) error {
	_, err := db.idb.ExecContext(ctx, `UPDATE mailed_links AS earlier SET ended_at = now() FROM mailed_links AS sent
		WHERE sent.hash = ? AND earlier.user_id = sent.user_id AND earlier.purpose = sent.purpose AND earlier.email = sent.email
		AND (earlier.created_at, earlier.hash) < (sent.created_at, sent.hash) AND earlier.ended_at IS NULL`, tokenHash)
	return translate(err)
}

// endMailedLinks ends the account's links for a purpose that were sent to the address.
func (db SignIns) endMailedLinks(ctx context.Context, userID string, purpose model.MailKind, email string) error {
	_, err := db.idb.ExecContext(ctx, `UPDATE mailed_links SET ended_at = now()
		WHERE `+belongsTo("?")+` AND purpose = ? AND email = ? AND ended_at IS NULL`, userID, purpose, email)
	return translate(err)
}

// MailedAddress returns the address to which the valid link with this hash was sent; "" if there is
// none.
func (db SignIns) MailedAddress(ctx context.Context, tokenHash []byte, purpose model.MailKind) (string, error) {
	var address string
	err := db.idb.NewRaw(`SELECT email FROM mailed_links
		WHERE hash = ? AND purpose = ? AND ended_at IS NULL AND expires_at > now()`, tokenHash, purpose).Scan(ctx, &address)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return address, translate(err)
}

// MailedLinkIsValid reports whether the link with this hash is unused, for this purpose and not
// too old.
func (db SignIns) MailedLinkIsValid(ctx context.Context, tokenHash []byte, purpose model.MailKind) (bool, error) {
	address, err := db.MailedAddress(ctx, tokenHash, purpose)
	return address != "", err
}

// redeemMailedLink uses up the link. It locks and returns the account, and returns the address that
// the link was sent to. It locks the account first, like every transaction that revokes access.
//
// The first statement only finds the account. Another request may use the link up before the lock,
// so the UPDATE decides: it finds each link once.
func (db SignIns) redeemMailedLink(ctx context.Context, tokenHash []byte, purpose model.MailKind) (*model.User, string, error) {
	var userID, email string
	err := db.idb.NewRaw("SELECT user_id FROM mailed_links WHERE hash = ?", tokenHash).Scan(ctx, &userID)
	if err != nil {
		return nil, "", translateNotFound(err, linkInvalid)
	}
	user, err := db.Accounts().LockUser(ctx, userID)
	if err != nil {
		return nil, "", err
	}
	err = db.idb.NewRaw(`UPDATE mailed_links SET ended_at = now()
		WHERE hash = ? AND purpose = ? AND ended_at IS NULL AND expires_at > now() RETURNING email`, tokenHash, purpose).Scan(ctx, &email)
	return user, email, translateNotFound(err, linkInvalid)
}

// ResetPassword sets the password of the account that got the link, and ends all access to it.
// The link proves that the person owns the address. Where nobody had proven that before, the
// person who signed up may be somebody else, and loses every other way to sign in.
func (db SignIns) ResetPassword(ctx context.Context, tokenHash []byte, passwordHash string) error {
	return db.InTx(ctx, func(tx *DB) error {
		user, email, err := tx.SignIns().redeemMailedLink(ctx, tokenHash, model.MailReset)
		if err != nil {
			return err
		}
		if email != user.Email {
			return model.NotFound(linkInvalid)
		}
		unproven, err := tx.SignIns().ClearEmailUnproven(ctx, user.ID)
		if err != nil {
			return err
		}
		if unproven {
			if err := tx.SignIns().RemoveEarlierOwner(ctx, user.ID); err != nil {
				return err
			}
		}
		return tx.Accounts().SetPassword(ctx, user.ID, passwordHash)
	})
}

// RemoveEarlierOwner removes every way to sign in to the account but its password, and its
// webhooks: somebody else has made them, before the owner of its address came.
func (db SignIns) RemoveEarlierOwner(ctx context.Context, userID string) error {
	if _, err := db.idb.ExecContext(ctx, "DELETE FROM identities WHERE "+belongsTo("?"), userID); err != nil {
		return translate(err)
	}
	var webhooks []*model.Webhook
	err := db.idb.NewRaw("DELETE FROM webhooks WHERE "+belongsTo("?")+" RETURNING *", userID).Scan(ctx, &webhooks)
	if err != nil {
		return translate(err)
	}
	for _, webhook := range webhooks {
		if err := db.Webhooks().recordWebhook(ctx, model.EventWebhookDeleted, webhook); err != nil {
			return err
		}
	}
	return db.RemoveFactors(ctx, userID)
}

// ConfirmEmail makes the address that got the link the confirmed address of the caller's
// account. It sends a notice to the former address. It refuses the link of another account, and
// an address that belongs to another account by now.
func (db SignIns) ConfirmEmail(ctx context.Context, tokenHash []byte, userID, language string) error {
	return db.InTx(ctx, func(tx *DB) error {
		user, email, err := tx.SignIns().redeemMailedLink(ctx, tokenHash, model.MailConfirm)
		if err != nil {
			return err
		}
		if user.ID != userID {
			return model.Forbidden("This link belongs to another account. Sign in to that account first")
		}
		if _, err := tx.SignIns().ClearEmailUnproven(ctx, user.ID); err != nil {
			return err
		}
		if email == user.Email {
			return tx.Audit().record(ctx, model.EventEmailConfirmed, user.ID, "", "")
		}
		return tx.SignIns().moveEmail(ctx, user, email, language)
	})
}

// moveEmail changes the address of the account, and ends the change that waited and the links that
// were sent to the former address.
//
// The notice is enqueued in the same transaction, so it is sent exactly for a change that was
// committed. It lets the owner react when somebody else has changed the address.
func (db SignIns) moveEmail(ctx context.Context, user *model.User, email, language string) error {
	_, err := db.idb.ExecContext(ctx, "UPDATE users SET email = ?, changed_at = ? WHERE id = ?", email, model.Now(), user.ID)
	if err != nil {
		return translate(err)
	}
	if err := db.endMailedLinks(ctx, user.ID, model.MailReset, user.Email); err != nil {
		return err
	}
	if err := db.endMailedLinks(ctx, user.ID, model.MailConfirm, user.Email); err != nil {
		return err
	}
	if _, err := db.idb.ExecContext(ctx, "DELETE FROM email_changes WHERE "+belongsTo("?"), user.ID); err != nil {
		return translate(err)
	}
	if err := db.Audit().record(ctx, model.EventEmailChanged, user.ID, "", ""); err != nil {
		return err
	}
	return db.Queue().EnqueueMail(ctx, model.Mail{Kind: model.MailMoved, UserID: user.ID, To: user.Email, Language: language})
}

// EmailConfirmed reports whether the owner of the account has shown that its address is
// theirs, or an operator or a provider vouches for it.
func (db SignIns) EmailConfirmed(ctx context.Context, userID string) (bool, error) {
	var confirmed bool
	err := db.idb.NewRaw("SELECT NOT EXISTS (SELECT FROM unproven_emails WHERE "+belongsTo("?")+")", userID).Scan(ctx, &confirmed)
	return confirmed, translate(err)
}

// StartEmailChange queues a mail with a link that makes mail.To the address of the account, and
// stores that the change waits for this link. The change replaces an earlier one, whose links end.
// If mail.To is the address of the account already, the link only confirms the address.
func (db SignIns) StartEmailChange(ctx context.Context, mail model.Mail) error {
	return db.InTx(ctx, func(tx *DB) error {
		user, err := tx.Accounts().LockUser(ctx, mail.UserID)
		if err != nil {
			return err
		}
		if mail.To != user.Email {
			if err := tx.SignIns().endEmailChange(ctx, user); err != nil {
				return err
			}
			_, err := tx.idb.ExecContext(ctx, `INSERT INTO email_changes (user_id, email, expires_at)
				VALUES (?, ?, now() + ? * interval '1 second')`, user.ID, mail.To, model.ConfirmLifetime.Seconds())
			if err != nil {
				return translate(err)
			}
		}
		return tx.Queue().EnqueueMail(ctx, mail)
	})
}

// EmailChange returns the change of the account's address that waits for its link; nil if there is
// none.
func (db SignIns) EmailChange(ctx context.Context, userID string) (*model.EmailChange, error) {
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
func (db SignIns) CancelEmailChange(ctx context.Context, userID string) error {
	return db.InTx(ctx, func(tx *DB) error {
		user, err := tx.Accounts().LockUser(ctx, userID)
		if err != nil {
			return err
		}
		waiting, err := tx.SignIns().EmailChange(ctx, userID)
		if err == nil && waiting == nil {
			err = model.NotFound(model.EmailChangeNotFound)
		}
		if err != nil {
			return err
		}
		return tx.SignIns().endEmailChange(ctx, user)
	})
}

// endEmailChange removes the change of the account's address, and ends the links to all new
// addresses. A link that confirms the present address stays valid. The caller has locked the
// account.
func (db SignIns) endEmailChange(ctx context.Context, user *model.User) error {
	if _, err := db.idb.ExecContext(ctx, "DELETE FROM email_changes WHERE "+belongsTo("?"), user.ID); err != nil {
		return translate(err)
	}
	_, err := db.idb.ExecContext(ctx, `UPDATE mailed_links SET ended_at = now()
		WHERE `+belongsTo("?")+` AND purpose = ? AND email <> ? AND ended_at IS NULL`, user.ID, model.MailConfirm, user.Email)
	return translate(err)
}

// extendEmailChange makes the waiting change to link.Email last as long as its new link, and
// reports whether there is one. An expired change stays expired.
func (db SignIns) extendEmailChange(ctx context.Context, link MailedLink) (bool, error) {
	return rowChanged(db.idb.ExecContext(ctx, `UPDATE email_changes SET expires_at = now() + ? * interval '1 second'
		WHERE `+belongsTo("?")+` AND email = ? AND expires_at > now()`, link.ValidFor.Seconds(), link.UserID, link.Email))
}
