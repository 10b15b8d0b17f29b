package account

import (
	"context"

	"portico/model"
)

// ErrDisabled refuses to sign in to an account that an operator has disabled.
var ErrDisabled error = model.Forbidden("This account is disabled. Ask the operator of the server")

// AllowSignIn records a sign-in in the audit trail and returns nil if the account may sign in. The
// caller has verified the person with the method. It returns ErrDisabled if an operator has disabled
// the account. If the account is disabled after this check, its access version changes, and a session
// of the version before is not valid.
//
// Call it before the session starts: a sign-in that cannot be recorded must fail.
func (r *Registry) AllowSignIn(ctx context.Context, userID, method string) error {
	disabled, err := r.db.Accounts().IsDisabled(ctx, userID)
	if err != nil {
		return err
	}
	if disabled {
		return ErrDisabled
	}
	return r.db.Audit().AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventSignedIn, userID).WithMethod(method))
}
