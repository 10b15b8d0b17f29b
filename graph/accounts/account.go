package accounts

import (
	"context"

	"portico/graph/access"
	"portico/model"
)

// EmailConfirmed reports whether the address of the caller's own account is confirmed; nil for
// other accounts.
func (s *Service) EmailConfirmed(ctx context.Context, userID string) (*bool, error) {
	return access.OfOwnAccount(ctx, userID, func(ctx context.Context, id string) (*bool, error) {
		confirmed, err := s.db.SignIns().EmailConfirmed(ctx, id)
		return &confirmed, err
	})
}

// EmailChange returns the change of the address that the caller's own account waits for; nil for
// other accounts.
func (s *Service) EmailChange(ctx context.Context, userID string) (*model.EmailChange, error) {
	return access.OfOwnAccount(ctx, userID, s.db.SignIns().EmailChange)
}

// ReceivesMail reports whether the server sends mail to the caller's own account; nil for other
// accounts.
func (s *Service) ReceivesMail(ctx context.Context, userID string) (*bool, error) {
	return access.OfOwnAccount(ctx, userID, func(context.Context, string) (*bool, error) {
		sends := s.SendsMail()
		return &sends, nil
	})
}

// SendsMail reports whether the operator has configured a mail server.
func (s *Service) SendsMail() bool { return s.registry != nil && s.registry.SendsMail() }

// Sessions returns the sessions of the caller's own account; nil for other accounts.
func (s *Service) Sessions(ctx context.Context, userID string) ([]*model.Session, error) {
	return access.OfOwnAccount(ctx, userID, func(ctx context.Context, id string) ([]*model.Session, error) {
		return s.db.SignIns().SessionsOf(ctx, id, model.CallerFrom(ctx).Session)
	})
}

// ConnectedApps returns the apps with the key of the caller's own account; nil for other accounts.
func (s *Service) ConnectedApps(ctx context.Context, userID string) ([]*model.ConnectedApp, error) {
	return access.OfOwnAccount(ctx, userID, s.db.Keys().ConnectedApps)
}

// Identities returns the identities of the caller's own account; nil for other accounts.
func (s *Service) Identities(ctx context.Context, userID string) ([]*model.Identity, error) {
	return access.OfOwnAccount(ctx, userID, s.db.SignIns().Identities)
}

// IdentityProvider returns the provider that the caller's own account can connect; nil for none,
// and for other accounts.
func (s *Service) IdentityProvider(ctx context.Context, userID string) (*string, error) {
	return access.OfOwnAccount(ctx, userID, func(context.Context, string) (*string, error) {
		if s.identities == nil {
			return nil, nil
		}
		issuer := s.identities.IdentityProvider()
		if issuer == "" {
			return nil, nil
		}
		return &issuer, nil
	})
}

// RenameAccount sets the name of the caller's account, unless it is nil.
func (s *Service) RenameAccount(ctx context.Context, name *string) error {
	c, err := access.Caller(ctx)
	if err != nil || name == nil {
		return err
	}
	clean, err := model.AccountName(*name)
	if err != nil {
		return err
	}
	return s.db.Accounts().RenameUser(ctx, c.UserID, clean)
}

// ChangePassword sets the password of the caller's account.
//
// The caller must enter the password, or have signed in recently: an open browser is not enough to
// take the account over.
func (s *Service) ChangePassword(ctx context.Context, current, password string) error {
	c, err := s.access.ProvenCaller(ctx, current)
	if err != nil {
		return err
	}
	return s.registry.SetPassword(ctx, c, password)
}

// ChangeEmail mails a link to a new address of the caller's account.
//
// The address changes when the link is opened: until then nobody has shown that the mailbox is the
// caller's.
func (s *Service) ChangeEmail(ctx context.Context, email, password string) error {
	c, err := s.access.ProvenCaller(ctx, password)
	if err != nil {
		return err
	}
	email, err = model.NormaliseEmail(email)
	if err != nil {
		return err
	}
	return s.registry.StartEmailChange(ctx, c, email)
}

// ResendEmailChange mails a new link for the change of the caller's address that waits. It needs no
// password, because the change to this address needed one.
func (s *Service) ResendEmailChange(ctx context.Context) error {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return err
	}
	change, err := s.db.SignIns().EmailChange(ctx, c.UserID)
	if err == nil && change == nil {
		err = model.NotFound(model.EmailChangeNotFound)
	}
	if err != nil {
		return err
	}
	return s.registry.SendConfirmation(ctx, c, change.Email)
}

// CancelEmailChange ends the change of the caller's address that waits. It needs no password,
// because the address stays as it is.
func (s *Service) CancelEmailChange(ctx context.Context) error {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return err
	}
	return s.db.SignIns().CancelEmailChange(ctx, c.UserID)
}

// SendEmailConfirmation mails a link to the address of the caller's account.
func (s *Service) SendEmailConfirmation(ctx context.Context) error {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return err
	}
	user, err := s.db.Accounts().User(ctx, c.UserID)
	if err != nil {
		return err
	}
	return s.registry.SendConfirmation(ctx, c, user.Email)
}

// DeleteAccount deletes the caller's account with all its data, and returns its id.
func (s *Service) DeleteAccount(ctx context.Context, password string) (string, error) {
	c, err := s.access.ProvenCaller(ctx, password)
	if err != nil {
		return "", err
	}
	// DeleteUser checks the session again in its transaction: the session may have ended by then.
	return c.UserID, s.DeleteUser(ctx, c.UserID, func() error { return c.CheckSession(ctx) })
}

// DeleteUser deletes an account with all its data, unless check fails.
//
// The rows are deleted first. A crash afterwards leaves objects that nobody can read, which the
// recorded removal deletes.
func (s *Service) DeleteUser(ctx context.Context, id string, check func() error) error {
	if err := s.db.Accounts().DeleteUser(ctx, id, check); err != nil {
		return err
	}
	// DeleteUser has recorded a removal, which deletes the objects later if this fails.
	if err := s.objects.RemoveFolder(ctx, model.UserFolder(id)); err != nil {
		s.logger.Warn("remove the files of a deleted account", "user_id", id, "error", err)
	}
	return nil
}

// EndSession ends a session of the caller's account by its id. The session of the request itself
// may be ended too.
func (s *Service) EndSession(ctx context.Context, id string) error {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return err
	}
	if !access.IsPrintableASCII(id) {
		return model.NotFound(model.SessionNotFound)
	}
	ended, err := s.db.SignIns().EndSessionOf(ctx, c.UserID, id)
	if err == nil && !ended {
		err = model.NotFound(model.SessionNotFound)
	}
	return err
}

// EndOtherSessions ends all sessions of the caller's account except the session of the request.
func (s *Service) EndOtherSessions(ctx context.Context) error {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return err
	}
	return s.registry.EndOtherSessions(ctx, c)
}

// DisconnectApp ends the access of an app to the caller's account.
//
// All apps have the same key (API section 5), so the others lose it too.
func (s *Service) DisconnectApp(ctx context.Context, id string) error {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return err
	}
	if !access.IsPrintableASCII(id) {
		return model.NotFound(model.AppNotFound)
	}
	return s.db.Keys().RemoveConsent(ctx, c.UserID, id)
}

// ConnectIdentity returns the address at the OpenID Connect provider that connects an identity to
// the caller's account.
func (s *Service) ConnectIdentity(ctx context.Context, password string) (string, error) {
	c, err := s.access.ProvenCaller(ctx, password)
	if err != nil {
		return "", err
	}
	return s.identities.StartIdentity(ctx, c)
}

// DisconnectIdentity unlinks the caller's account from an OpenID Connect provider.
func (s *Service) DisconnectIdentity(ctx context.Context, issuer, password string) error {
	c, err := s.access.ProvenCaller(ctx, password)
	if err != nil {
		return err
	}
	if !access.IsPrintableASCII(issuer) {
		return model.NotFound(model.IdentityNotFound)
	}
	return s.db.SignIns().RemoveIdentity(ctx, c.UserID, issuer)
}
