package account

import (
	"context"
	"strings"

	"portico/db"
	"portico/model"
)

// Profile is what an external provider says about a person whom it has identified.
type Profile struct {
	Issuer  string // the address of the provider
	Subject string // the permanent id of the person at the provider
	Email   string
	// EmailVerified reports whether the provider has verified that the address is the person's.
	EmailVerified bool
	Name          string
}

// OfProfile returns the account of a person whom the provider has identified: the linked account,
// the account with the verified e-mail address, or a new one.
//
// The cases:
//
//	the identity is linked                   its account
//	an account has the verified address      linked, and all earlier access to the account ends
//	there is no account, sign-up is on       a new account without a password
//	there is no account, sign-up is off      refused
//	the address is not verified              refused, unless the identity is linked
//
// It returns CodeForbidden or CodeInvalid for a person whom it refuses, and records this in the
// audit trail.
func (r *Registry) OfProfile(ctx context.Context, p Profile) (*model.User, error) {
	user, err := r.findOrCreate(ctx, p)
	if err != nil && model.AsError(err).Reason == model.ReasonTaken {
		// Another tab of the person, or a sign-up with the address, has just created the account.
		user, err = r.findOrCreate(ctx, p)
	}
	if code := model.CodeOf(err); code == model.CodeForbidden || code == model.CodeInvalid {
		failed := model.NewSecurityEvent(ctx, model.EventSignInFailed, "").WithMethod(model.ByOpenID).WithReason(model.AsError(err).EventReason)
		if err := r.db.Audit().AddSecurityEvent(ctx, failed); err != nil {
			return nil, err
		}
	}
	return user, err
}

// findOrCreate is one try of OfProfile, without the record in the audit trail.
func (r *Registry) findOrCreate(ctx context.Context, p Profile) (*model.User, error) {
	user, err := r.db.SignIns().UserByIdentity(ctx, p.Issuer, p.Subject)
	if model.CodeOf(err) != model.CodeNotFound {
		return user, err
	}
	email, err := verifiedEmail(p)
	if err != nil {
		return nil, err
	}
	user, err = r.db.Accounts().UserByEmail(ctx, email)
	switch {
	case err == nil:
		return user, r.linkIdentity(ctx, user, p)
	case model.CodeOf(err) != model.CodeNotFound:
		return nil, err
	case !r.signup:
		return nil, model.RefusedSignIn(model.EventReasonNoAccount)
	}
	return r.createExternal(ctx, email, p)
}

// verifiedEmail returns the normalised address if the provider has verified it. It accepts only
// ASCII: converting to lower case turns some other letters into ASCII (K, the Kelvin sign), and
// so one person's address into the address of another person.
func verifiedEmail(p Profile) (string, error) {
	if !p.EmailVerified || p.Email == "" {
		return "", model.RefusedSignIn(model.EventReasonEmailNotVerified)
	}
	for i := range len(p.Email) {
		if p.Email[i] <= ' ' || p.Email[i] > '~' {
			return "", model.RefusedSignIn(model.EventReasonEmailNotSupported)
		}
	}
	email, err := model.NormaliseEmail(p.Email)
	if err != nil {
		return "", model.AsError(err).WithEventReason(model.EventReasonEmailInvalid)
	}
	return email, nil
}

// linkIdentity links the account to the person and revokes all earlier access to it, because
// somebody else may have signed up with the address. It also removes the password of such a
// sign-up, but not of an account that an operator added. It updates user from the database. If the
// identity was linked meanwhile, linkIdentity changes nothing and sets user to its account.
func (r *Registry) linkIdentity(ctx context.Context, user *model.User, p Profile) error {
	return r.db.InTx(ctx, func(tx *db.DB) error {
		locked, err := tx.Accounts().LockUser(ctx, user.ID)
		if err != nil {
			return err
		}
		// Another tab of the person may have linked the identity before this one had the lock. Its
		// sign-in must not end.
		if linked, err := tx.SignIns().UserByIdentity(ctx, p.Issuer, p.Subject); model.CodeOf(err) != model.CodeNotFound {
			if err == nil {
				*user = *linked
			}
			return err
		}
		unproven, err := tx.SignIns().ClearEmailUnproven(ctx, locked.ID)
		if err != nil {
			return err
		}
		if unproven {
			r.log.Info("account taken over by the owner of its address", "user_id", locked.ID)
			// Before AddIdentity: the other person may have connected an identity of this provider.
			if err := tx.SignIns().RemoveEarlierOwner(ctx, locked.ID); err != nil {
				return err
			}
			err = tx.Accounts().SetPassword(ctx, locked.ID, "")
		} else {
			err = tx.Accounts().RevokeAccess(ctx, locked)
		}
		if err != nil {
			return err
		}
		if err := tx.SignIns().AddIdentity(ctx, p.Issuer, p.Subject, locked.ID); err != nil {
			return err
		}
		stored, err := tx.Accounts().User(ctx, locked.ID)
		if err != nil {
			return err
		}
		*user = *stored
		return nil
	})
}

// createExternal creates an account that can only sign in at the provider, because it has no
// password.
func (r *Registry) createExternal(ctx context.Context, email string, p Profile) (*model.User, error) {
	if err := r.requireFirst(ctx); err != nil {
		return nil, err
	}
	in := r.newAccount(email, model.RemoveInvisible(p.Name))
	// A person with an invalid name may sign up. Some providers send the address, or its first part, as
	// the name of a person who has given none: others must not see it.
	if local, _, _ := strings.Cut(email, "@"); in.Validate() != nil || in.Name == local {
		in.Name = ""
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	var user *model.User
	err := r.db.InTx(ctx, func(tx *db.DB) error {
		var err error
		if user, err = tx.Accounts().CreateUser(ctx, in); err != nil {
			return err
		}
		return tx.SignIns().AddIdentity(ctx, p.Issuer, p.Subject, user.ID)
	})
	return user, err
}

// ConnectIdentity connects the identity of the person to the account. It calls isSignedIn in its
// transaction, which has locked the account, and returns its error: the account may have been
// signed out, or may have a new password, while the person was at the provider. It returns
// CodeNotFound if there is no such account, and CodeForbidden if the identity belongs to another.
func (r *Registry) ConnectIdentity(ctx context.Context, userID string, p Profile, isSignedIn func(tx *db.DB, user *model.User) error) error {
	return r.db.InTx(ctx, func(tx *db.DB) error {
		user, err := tx.Accounts().LockUser(ctx, userID)
		if err != nil {
			return err
		}
		if err := isSignedIn(tx, user); err != nil {
			return err
		}
		return tx.SignIns().AddIdentity(ctx, p.Issuer, p.Subject, userID)
	})
}
