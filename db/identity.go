package db

import (
	"context"

	"portico/model"
)

// AddIdentity links the account to the subject of an OpenID Connect provider. It refuses
// a subject that is linked to another account, and an account that is linked to another
// subject.
//
// Both rules are unique keys: the primary key (issuer, subject) and identities_user_key. The insert
// decides, so two sign-ins at the same time link one subject.
func (db *DB) AddIdentity(ctx context.Context, issuer, subject, userID string) error {
	linked := false
	err := db.InTx(ctx, func(tx *DB) (err error) {
		linked, err = rowChanged(tx.idb.ExecContext(ctx,
			"INSERT INTO identities (issuer, subject, user_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
			issuer, subject, userID))
		if err != nil || !linked {
			return err
		}
		return tx.record(ctx, model.EventIdentityLinked, userID, "", issuer)
	})
	if err != nil || linked {
		return err
	}
	user, err := db.UserByIdentity(ctx, issuer, subject)
	switch {
	case model.CodeOf(err) == model.CodeNotFound: // the account is linked to another subject of this provider
		return model.RefusedSignIn(model.EventReasonOtherIdentity)
	case err != nil:
		return err
	case user.ID != userID:
		return model.RefusedSignIn(model.EventReasonIdentityTaken)
	}
	return nil // linked already
}

// UserByIdentity returns the account that is linked to the provider's subject.
func (db *DB) UserByIdentity(ctx context.Context, issuer, subject string) (*model.User, error) {
	user := new(model.User)
	err := db.idb.NewSelect().Model(user).
		Where("id = (SELECT user_id FROM identities WHERE issuer = ? AND subject = ?)", issuer, subject).Scan(ctx)
	return user, translateNotFound(err, model.UserNotFound)
}

// MarkEmailUnproven records that the user's e-mail address is not verified.
//
// The record decides in ResetPassword whether somebody else may have set up the other ways to sign
// in.
func (db *DB) MarkEmailUnproven(ctx context.Context, userID string) error {
	_, err := db.idb.ExecContext(ctx, "INSERT INTO unproven_emails (user_id) VALUES (?) ON CONFLICT DO NOTHING", userID)
	return translate(err)
}

// ClearEmailUnproven deletes the record of MarkEmailUnproven, because the address was verified or
// the account is reset, and reports whether there was one.
func (db *DB) ClearEmailUnproven(ctx context.Context, userID string) (bool, error) {
	return rowChanged(db.idb.ExecContext(ctx, "DELETE FROM unproven_emails WHERE "+belongsTo("?"), userID))
}

// Identities returns the identities that the account is linked to.
func (db *DB) Identities(ctx context.Context, userID string) ([]*model.Identity, error) {
	var identities []*model.Identity
	err := db.idb.NewRaw("SELECT issuer, created_at AS connected_at FROM identities WHERE "+belongsTo("?")+" ORDER BY issuer",
		userID).Scan(ctx, &identities)
	return identities, translate(err)
}

// RemoveIdentity unlinks the account from a provider. It refuses the last way to sign in.
//
// The lock on the account makes two removals run one after the other, so that together they cannot
// remove the last two identities. Passkeys do not count as a way to sign in.
func (db *DB) RemoveIdentity(ctx context.Context, userID, issuer string) error {
	return db.InTx(ctx, func(tx *DB) error {
		user, err := tx.LockUser(ctx, userID)
		if err != nil {
			return err
		}
		removed, err := rowChanged(tx.idb.ExecContext(ctx, "DELETE FROM identities WHERE "+belongsTo("?")+" AND issuer = ?", userID, issuer))
		if err != nil {
			return err
		}
		if !removed {
			return model.NotFound(model.IdentityNotFound)
		}
		left, err := tx.Identities(ctx, userID)
		if err != nil {
			return err
		}
		if user.PasswordHash == "" && len(left) == 0 {
			return (&model.Error{
				Code: model.CodeConflict, Message: "This is the only way to sign in. Set a password first",
			}).WithReason(model.ReasonLastSignIn)
		}
		return tx.record(ctx, model.EventIdentityUnlinked, userID, "", issuer)
	})
}
