package web

import (
	"context"

	"portico/db"
	"portico/model"
)

// accountOfProfile returns the account of a person whom the provider has identified: the linked
// account, the account with the verified e-mail address, or a new one.
//
// The cases:
//
//	the identity is linked                   its account
//	an account has the verified address      linked, and all earlier access to the account ends
//	there is no account, sign-up is on       a new account without a password
//	there is no account, sign-up is off      refused
//	the address is not verified              refused, unless the identity is linked
func (s *Site) accountOfProfile(ctx context.Context, p *profile) (*model.User, error) {
	user, err := s.db.UserByIdentity(ctx, p.Issuer, p.Subject)
	if model.CodeOf(err) != model.CodeNotFound {
		return user, err
	}
	email, err := verifiedEmail(p)
	if err != nil {
		return nil, err
	}
	user, err = s.db.UserByEmail(ctx, email)
	switch {
	case err == nil:
		return user, s.linkIdentity(ctx, user, p)
	case model.CodeOf(err) != model.CodeNotFound:
		return nil, err
	case !s.signup:
		return nil, model.Forbidden("There is no account with your e-mail address. Ask the operator of this server for one")
	}
	return s.createExternal(ctx, email, p)
}

// verifiedEmail returns the normalized address if the provider has verified it. It accepts only
// ASCII: converting to lower case turns some other letters into ASCII (K, the Kelvin sign), and
// so one person's address into the address of another person.
func verifiedEmail(p *profile) (string, error) {
	if !bool(p.Verified) || p.Email == "" {
		return "", model.Forbidden("The external provider has not verified your e-mail address")
	}
	for i := range len(p.Email) {
		if p.Email[i] <= ' ' || p.Email[i] > '~' {
			return "", model.Forbidden("Your e-mail address has characters that are not supported")
		}
	}
	return model.NormalizeEmail(p.Email)
}

// linkIdentity links the account to the person and revokes all earlier access to it, because
// somebody else may have signed up with the address. It also removes the password of such a
// sign-up, but not of an account that an operator added. It updates user from the database.
func (s *Site) linkIdentity(ctx context.Context, user *model.User, p *profile) error {
	return s.db.InTx(ctx, func(tx *db.DB) error {
		locked, err := tx.LockUser(ctx, user.ID)
		if err != nil {
			return err
		}
		unproven, err := tx.ClearEmailUnproven(ctx, locked.ID)
		if err != nil {
			return err
		}
		if unproven {
			s.log.Info("account taken over by the owner of its address", "user_id", locked.ID)
			// Before AddIdentity: the other person may have connected an identity of this provider.
			if err := tx.RemoveOtherSignIns(ctx, locked.ID); err != nil {
				return err
			}
			err = tx.SetPassword(ctx, locked.ID, "")
		} else {
			err = tx.RevokeAccess(ctx, locked)
		}
		if err != nil {
			return err
		}
		if err := tx.AddIdentity(ctx, p.Issuer, p.Subject, locked.ID); err != nil {
			return err
		}
		stored, err := tx.User(ctx, locked.ID)
		if err != nil {
			return err
		}
		*user = *stored
		return nil
	})
}

// createExternal creates an account that can only sign in at the provider, because it has no
// password.
func (s *Site) createExternal(ctx context.Context, email string, p *profile) (*model.User, error) {
	if required, err := s.requiresFirstCode(ctx); err != nil {
		return nil, err
	} else if required {
		return nil, model.Forbidden("This server has no account yet. Create the first one with the link that the server printed when it started")
	}
	in := s.newAccount(email, model.RemoveInvisible(p.Name))
	if in.Validate() != nil {
		in.Name = "" // an invalid name is no reason to refuse the person
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	var user *model.User
	err := s.db.InTx(ctx, func(tx *db.DB) error {
		var err error
		if user, err = tx.CreateUser(ctx, in); err != nil {
			return err
		}
		return tx.AddIdentity(ctx, p.Issuer, p.Subject, user.ID)
	})
	return user, err
}
