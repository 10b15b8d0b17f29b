package graph

import (
	"context"

	"portico/graph/access"
	"portico/model"
)

// emailConfirmed reports whether the address of the caller's own account is confirmed; nil for
// other accounts.
func (r *Resolver) emailConfirmed(ctx context.Context, userID string) (*bool, error) {
	return access.OfOwnAccount(ctx, userID, func(ctx context.Context, id string) (*bool, error) {
		confirmed, err := r.db.SignIns().EmailConfirmed(ctx, id)
		return &confirmed, err
	})
}

// emailChange returns the change of the address that the caller's own account waits for; nil for
// other accounts.
func (r *Resolver) emailChange(ctx context.Context, userID string) (*model.EmailChange, error) {
	return access.OfOwnAccount(ctx, userID, r.db.SignIns().EmailChange)
}

// receivesMail reports whether the server sends mail to the caller's own account; nil for other
// accounts.
func (r *Resolver) receivesMail(ctx context.Context, userID string) (*bool, error) {
	return access.OfOwnAccount(ctx, userID, func(context.Context, string) (*bool, error) {
		sends := r.sendsMail()
		return &sends, nil
	})
}

// sendsMail reports whether the operator has configured a mail server.
func (r *Resolver) sendsMail() bool { return r.accounts != nil && r.accounts.SendsMail() }

// sessions returns the sessions of the caller's own account; nil for other accounts.
func (r *Resolver) sessions(ctx context.Context, userID string) ([]*model.Session, error) {
	return access.OfOwnAccount(ctx, userID, func(ctx context.Context, id string) ([]*model.Session, error) {
		return r.db.SignIns().SessionsOf(ctx, id, model.CallerFrom(ctx).Session)
	})
}

// connectedApps returns the apps with the key of the caller's own account; nil for other accounts.
func (r *Resolver) connectedApps(ctx context.Context, userID string) ([]*model.ConnectedApp, error) {
	return access.OfOwnAccount(ctx, userID, r.db.Keys().ConnectedApps)
}

// identities returns the identities of the caller's own account; nil for other accounts.
func (r *Resolver) identities(ctx context.Context, userID string) ([]*model.Identity, error) {
	return access.OfOwnAccount(ctx, userID, r.db.SignIns().Identities)
}

// identityProvider returns the provider that the caller's own account can connect; nil for none,
// and for other accounts.
func (r *Resolver) identityProvider(ctx context.Context, userID string) (*string, error) {
	return access.OfOwnAccount(ctx, userID, func(context.Context, string) (*string, error) {
		if r.openID == nil {
			return nil, nil
		}
		issuer := r.openID.IdentityProvider()
		if issuer == "" {
			return nil, nil
		}
		return &issuer, nil
	})
}

// renameAccount sets the name of the caller's account, unless it is nil.
func (r *Resolver) renameAccount(ctx context.Context, name *string) error {
	c, err := access.Caller(ctx)
	if err != nil || name == nil {
		return err
	}
	clean, err := model.AccountName(*name)
	if err != nil {
		return err
	}
	return r.db.Accounts().RenameUser(ctx, c.UserID, clean)
}

// changePassword sets the password of the caller's account.
//
// The caller must enter the password, or have signed in recently: an open browser is not enough to
// take the account over.
func (r *Resolver) changePassword(ctx context.Context, current, password string) error {
	c, err := r.access.ProvenCaller(ctx, current)
	if err != nil {
		return err
	}
	return r.accounts.SetPassword(ctx, c, password)
}

// changeEmail mails a link to a new address of the caller's account.
//
// The address changes when the link is opened: until then nobody has shown that the mailbox is the
// caller's.
func (r *Resolver) changeEmail(ctx context.Context, email, password string) error {
	c, err := r.access.ProvenCaller(ctx, password)
	if err != nil {
		return err
	}
	email, err = model.NormaliseEmail(email)
	if err != nil {
		return err
	}
	return r.accounts.StartEmailChange(ctx, c, email)
}

// resendEmailChange mails a new link for the change of the caller's address that waits. It needs no
// password, because the change to this address needed one.
func (r *Resolver) resendEmailChange(ctx context.Context) error {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return err
	}
	change, err := r.db.SignIns().EmailChange(ctx, c.UserID)
	if err == nil && change == nil {
		err = model.NotFound(model.EmailChangeNotFound)
	}
	if err != nil {
		return err
	}
	return r.accounts.SendConfirmation(ctx, c, change.Email)
}

// cancelEmailChange ends the change of the caller's address that waits. It needs no password,
// because the address stays as it is.
func (r *Resolver) cancelEmailChange(ctx context.Context) error {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return err
	}
	return r.db.SignIns().CancelEmailChange(ctx, c.UserID)
}

// sendEmailConfirmation mails a link to the address of the caller's account.
func (r *Resolver) sendEmailConfirmation(ctx context.Context) error {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return err
	}
	user, err := r.db.Accounts().User(ctx, c.UserID)
	if err != nil {
		return err
	}
	return r.accounts.SendConfirmation(ctx, c, user.Email)
}

// deleteAccount deletes the caller's account with all its data, and returns its id.
func (r *Resolver) deleteAccount(ctx context.Context, password string) (string, error) {
	c, err := r.access.ProvenCaller(ctx, password)
	if err != nil {
		return "", err
	}
	// DeleteUser checks the session again in its transaction: the session may have ended by then.
	return c.UserID, r.deleteUser(ctx, c.UserID, func() error { return c.Check(ctx) })
}

// deleteUser deletes an account with all its data, unless check fails.
//
// The rows are deleted first. A crash afterwards leaves objects that nobody can read, which the
// recorded removal deletes.
func (r *Resolver) deleteUser(ctx context.Context, id string, check func() error) error {
	if err := r.db.Accounts().DeleteUser(ctx, id, check); err != nil {
		return err
	}
	// DeleteUser has recorded a removal, which deletes the objects later if this fails.
	if err := r.removeObjects(ctx, model.UserFolder(id), r.store.DeletePrefix); err != nil {
		r.logger.Warn("remove the files of a deleted account", "user_id", id, "error", err)
	}
	return nil
}

// endSession ends a session of the caller's account by its id. The session of the request itself
// may be ended too.
func (r *Resolver) endSession(ctx context.Context, id string) error {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return err
	}
	if !access.IsPrintableASCII(id) {
		return model.NotFound(model.SessionNotFound)
	}
	ended, err := r.db.SignIns().EndSessionOf(ctx, c.UserID, id)
	if err == nil && !ended {
		err = model.NotFound(model.SessionNotFound)
	}
	return err
}

// endOtherSessions ends all sessions of the caller's account except the session of the request.
func (r *Resolver) endOtherSessions(ctx context.Context) error {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return err
	}
	return r.accounts.EndOtherSessions(ctx, c)
}

// disconnectApp ends the access of an app to the caller's account.
//
// All apps have the same key (API section 5), so the others lose it too.
func (r *Resolver) disconnectApp(ctx context.Context, id string) error {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return err
	}
	if !access.IsPrintableASCII(id) {
		return model.NotFound(model.AppNotFound)
	}
	return r.db.Keys().RemoveConsent(ctx, c.UserID, id)
}

// connectIdentity returns the address at the OpenID Connect provider that connects an identity to
// the caller's account.
func (r *Resolver) connectIdentity(ctx context.Context, password string) (string, error) {
	c, err := r.access.ProvenCaller(ctx, password)
	if err != nil {
		return "", err
	}
	return r.openID.StartIdentity(ctx, c)
}

// disconnectIdentity unlinks the caller's account from an OpenID Connect provider.
func (r *Resolver) disconnectIdentity(ctx context.Context, issuer, password string) error {
	c, err := r.access.ProvenCaller(ctx, password)
	if err != nil {
		return err
	}
	if !access.IsPrintableASCII(issuer) {
		return model.NotFound(model.IdentityNotFound)
	}
	return r.db.SignIns().RemoveIdentity(ctx, c.UserID, issuer)
}
