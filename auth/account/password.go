package account

import (
	"context"
	"strings"
	"unicode/utf8"

	"portico/auth"
	"portico/db"
	"portico/model"
)

// Authenticate returns the account with this address and password, or nil. It records a failure in
// the audit trail.
//
// It takes the same time for an account that does not exist, because Match then compares with a
// dummy hash. It refuses a text that cannot be a password before it reads the account.
func (r *Registry) Authenticate(ctx context.Context, email, password string) (*model.User, error) {
	if !auth.CanBePassword(password) {
		return nil, r.recordFailure(ctx, email)
	}
	user, err := r.byEmail(ctx, email)
	if err != nil {
		return nil, err
	}
	matches, err := r.passwords.Match(ctx, password, user.PasswordHash)
	if err != nil {
		return nil, err
	}
	if !matches {
		return nil, r.recordFailure(ctx, email)
	}
	return user, nil
}

// recordFailure records a failed sign-in, with the account if it exists. It does not store the name
// of an unknown account, because people enter their password there by mistake. Both cases do the
// same work, so that the time does not show whether the account exists.
func (r *Registry) recordFailure(ctx context.Context, email string) error {
	user, err := r.byEmail(ctx, email)
	if err != nil {
		return err
	}
	return r.db.Audit().AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventSignInFailed, user.ID).WithMethod(model.ByPassword))
}

// byEmail returns the account with this address, or an empty account.
func (r *Registry) byEmail(ctx context.Context, email string) (*model.User, error) {
	user := &model.User{}
	if _, err := model.NormaliseEmail(email); err == nil && isStorable(email) {
		user, err = r.db.Accounts().UserByEmail(ctx, email)
		if err != nil && model.CodeOf(err) != model.CodeNotFound {
			return nil, err
		}
	}
	return user, nil
}

// isStorable reports whether Postgres can store the text: it refuses invalid UTF-8 and NUL.
func isStorable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// SetPassword sets the password of the caller's account, and revokes all access except the caller's
// session. Call RequireProof first.
func (r *Registry) SetPassword(ctx context.Context, caller *model.Caller, password string) error {
	hash, err := r.passwords.Hash(ctx, password)
	if err != nil {
		return err
	}
	return r.endOtherAccess(ctx, caller, func(tx *db.DB, user *model.User) error {
		return tx.Accounts().SetPassword(ctx, user.ID, hash)
	})
}

// RevokeOthers revokes all access to the caller's account, its key included, except the caller's
// session.
func (r *Registry) RevokeOthers(ctx context.Context, caller *model.Caller) error {
	return r.endOtherAccess(ctx, caller, func(tx *db.DB, user *model.User) error {
		// RevokeAccess updates the version of its argument; endOtherAccess needs the one before.
		revoked := *user
		return tx.Accounts().RevokeAccess(ctx, &revoked)
	})
}

// EndOtherSessions ends all sessions of the caller except the session of the request.
func (r *Registry) EndOtherSessions(ctx context.Context, caller *model.Caller) error {
	return r.endOtherAccess(ctx, caller, func(tx *db.DB, user *model.User) error {
		// RevokeSessions updates the version of its argument; endOtherAccess needs the one before.
		revoked := *user
		return tx.Accounts().RevokeSessions(ctx, &revoked, model.EventReasonOtherSessions)
	})
}

// endOtherAccess runs a change that revokes all access to the caller's account, in a transaction
// that gives the caller's session a new token. It returns CodeUnauthenticated if that session has
// ended.
//
// The lock on the account makes two changes run one after the other, so the second fails,
// because its session no longer matches the account.
func (r *Registry) endOtherAccess(ctx context.Context, caller *model.Caller, change func(tx *db.DB, user *model.User) error) error {
	var send func()
	err := r.db.InTx(ctx, func(tx *db.DB) error {
		before, err := tx.Accounts().LockUser(ctx, caller.UserID)
		if err != nil {
			return err
		}
		if err := change(tx, before); err != nil {
			return err
		}
		after, err := tx.Accounts().User(ctx, caller.UserID)
		if err != nil {
			return err
		}
		send, err = r.renewSession(ctx, tx, caller, before, after)
		return err
	})
	if err == nil {
		send()
	}
	return err
}

// HashLinkPassword returns the hash of the password of a share link; "" for no password.
func (r *Registry) HashLinkPassword(ctx context.Context, password string) (string, error) {
	return r.passwords.HashLinkPassword(ctx, password)
}

// IsLinkPassword reports whether the hash is the hash of the password of a share link.
func (r *Registry) IsLinkPassword(ctx context.Context, password, hash string) (bool, error) {
	return r.passwords.Match(ctx, password, hash)
}
