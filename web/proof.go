package web

import (
	"context"
	"time"

	"portico/db"
	"portico/model"
)

// recentSignIn is the maximum age of a sign-in that counts as proof without a password.
const recentSignIn = 10 * time.Minute

// RequireProof returns nil if the caller proves to be the owner of the account, with its password
// or, for an account without a password, with a sign-in within recentSignIn. The caller must have a
// session.
//
// An account may fail 10 times in 15 minutes. Nobody can use this limit to lock out the owner,
// because only somebody who is signed in can fail.
func (s *Site) RequireProof(ctx context.Context, caller *model.Caller, password string) error {
	if caller.Session == "" {
		return model.NeedsSession()
	}
	user, err := s.db.User(ctx, caller.UserID)
	if err != nil {
		return err
	}
	if user.PasswordHash == "" {
		recent, err := s.db.SignedInWithin(ctx, caller.Session, recentSignIn)
		if err == nil && !recent {
			err = model.Forbidden("Sign in again first").WithReason(model.ReasonNeedsProof)
		}
		return err
	}
	if password == "" {
		return model.Forbidden("Enter your password").WithReason(model.ReasonNeedsProof)
	}
	return s.checkPassword(ctx, user, password)
}

// checkPassword compares the password of an account whose owner is signed in. It counts the
// attempt first, because attempts run in parallel.
func (s *Site) checkPassword(ctx context.Context, user *model.User, password string) error {
	if wait := s.limits.byOwner.Take(user.ID); wait > 0 {
		return tooManyAttempts(wait)
	}
	matches, err := s.passwords.Match(ctx, password, user.PasswordHash)
	if err != nil {
		return err
	}
	if matches {
		s.limits.byOwner.Forget(user.ID)
		return nil
	}
	failed := model.NewSecurityEvent(ctx, model.EventSignInFailed, user.ID).WithMethod(model.ByPassword).WithSubject("", "For a change of the account")
	if err := s.db.AddSecurityEvent(ctx, failed); err != nil {
		return err
	}
	return model.Forbidden("The password is wrong").WithReason(model.ReasonWrongPassword)
}

// SetPassword sets the password of the caller's account, and revokes all access except the caller's
// session. Call RequireProof first.
func (s *Site) SetPassword(ctx context.Context, caller *model.Caller, password string) error {
	hash, err := s.passwords.Hash(ctx, password)
	if err != nil {
		return err
	}
	return s.endOtherAccess(ctx, caller, func(tx *db.DB, user *model.User) error {
		return tx.SetPassword(ctx, user.ID, hash)
	})
}

// EndOtherSessions ends all sessions of the caller except the session of the request.
func (s *Site) EndOtherSessions(ctx context.Context, caller *model.Caller) error {
	return s.endOtherAccess(ctx, caller, func(tx *db.DB, user *model.User) error {
		// RevokeSessions updates the version of its argument; endOtherAccess needs the one before.
		revoked := *user
		return tx.RevokeSessions(ctx, &revoked, "All but one")
	})
}

// endOtherAccess runs a change that revokes all access to the caller's account, in a transaction
// that renews the caller's session. It returns CodeUnauthenticated if that session has ended.
//
// The lock on the account makes two changes run one after the other, so the second fails by its old
// proof.
func (s *Site) endOtherAccess(ctx context.Context, caller *model.Caller, change func(tx *db.DB, user *model.User) error) error {
	return s.db.InTx(ctx, func(tx *db.DB) error {
		before, err := tx.LockUser(ctx, caller.UserID)
		if err != nil {
			return err
		}
		if err := change(tx, before); err != nil {
			return err
		}
		after, err := tx.User(ctx, caller.UserID)
		if err != nil {
			return err
		}
		return s.renewSession(ctx, tx, caller.Session, before, after)
	})
}
