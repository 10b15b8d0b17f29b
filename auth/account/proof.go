package account

import (
	"context"
	"time"

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
func (r *Registry) RequireProof(ctx context.Context, caller *model.Caller, password string) error {
	if caller.Session == "" {
		return model.NeedsSession()
	}
	user, err := r.db.Accounts().User(ctx, caller.UserID)
	if err != nil {
		return err
	}
	if user.PasswordHash == "" {
		recent, err := r.db.SignIns().SignedInWithin(ctx, caller.Session, recentSignIn)
		if err == nil && !recent {
			err = model.Forbidden("Sign in again first").WithReason(model.ReasonNeedsProof)
		}
		return err
	}
	if password == "" {
		return model.Forbidden("Enter your password").WithReason(model.ReasonNeedsProof)
	}
	return r.checkPassword(ctx, user, password)
}

// checkPassword compares the password of an account whose owner is signed in. It counts the
// attempt first, because attempts run in parallel.
func (r *Registry) checkPassword(ctx context.Context, user *model.User, password string) error {
	if wait := r.limits.byOwner.Take(user.ID); wait > 0 {
		return TooManyAttempts(wait)
	}
	matches, err := r.passwords.Match(ctx, password, user.PasswordHash)
	if err != nil {
		return err
	}
	if matches {
		r.limits.byOwner.Forget(user.ID)
		return nil
	}
	failed := model.NewSecurityEvent(ctx, model.EventSignInFailed, user.ID).WithMethod(model.ByPassword).WithReason(model.EventReasonAccountChange)
	if err := r.db.Audit().AddSecurityEvent(ctx, failed); err != nil {
		return err
	}
	return model.Forbidden("The password is wrong").WithReason(model.ReasonWrongPassword)
}
