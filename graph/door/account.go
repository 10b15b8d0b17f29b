package door

import (
	"context"

	"portico/graph/batch"
	"portico/graph/schema"
	"portico/model"
)

// HasPassword reports whether the caller's own account has a password; nil for other accounts.
func (r userFields) HasPassword(ctx context.Context, user *model.Profile) (*bool, error) {
	own, err := r.core.OwnAccount(ctx, user)
	if err != nil || own == nil {
		return nil, err
	}
	has := own.PasswordHash != ""
	return &has, nil
}

// EmailConfirmed reports whether the address of the caller's own account is confirmed; nil for
// other accounts.
func (r userFields) EmailConfirmed(ctx context.Context, user *model.Profile) (*bool, error) {
	return r.core.Accounts().EmailConfirmed(ctx, user.ID)
}

// EmailChange returns the change of the address that the caller's own account waits for; nil for
// other accounts.
func (r userFields) EmailChange(ctx context.Context, user *model.Profile) (*model.EmailChange, error) {
	return r.core.Accounts().EmailChange(ctx, user.ID)
}

// ReceivesMail reports whether the server sends mail; nil for other accounts.
func (r userFields) ReceivesMail(ctx context.Context, user *model.Profile) (*bool, error) {
	return r.core.Accounts().ReceivesMail(ctx, user.ID)
}

// APIKeyCreatedAt returns when the key of the caller's own account was created; nil without
// a key, and for other accounts.
func (r userFields) APIKeyCreatedAt(ctx context.Context, user *model.Profile) (*model.Time, error) {
	return r.core.APIKeyCreatedAt(ctx, user.ID)
}

// Sessions returns the sessions of the caller's own account; nil for other accounts.
func (r userFields) Sessions(ctx context.Context, user *model.Profile) ([]*model.Session, error) {
	return r.core.Accounts().Sessions(ctx, user.ID)
}

// Apps returns the apps with the key of the caller's own account; nil for other accounts.
func (r userFields) Apps(ctx context.Context, user *model.Profile) ([]*model.ConnectedApp, error) {
	return r.core.Accounts().ConnectedApps(ctx, user.ID)
}

// Identities returns the identities of the caller's own account; nil for other accounts.
func (r userFields) Identities(ctx context.Context, user *model.Profile) ([]*model.Identity, error) {
	return r.core.Accounts().Identities(ctx, user.ID)
}

// IdentityProvider returns the provider that the caller's own account can connect; nil for none,
// and for other accounts.
func (r userFields) IdentityProvider(ctx context.Context, user *model.Profile) (*string, error) {
	return r.core.Accounts().IdentityProvider(ctx, user.ID)
}

// UpdateAccount changes the caller's account.
func (r mutationFields) UpdateAccount(ctx context.Context, in schema.UpdateAccountInput) (*schema.UpdateAccountPayload, error) {
	user, err := r.viewerOrError(ctx, r.core.Accounts().RenameAccount(ctx, in.Name))
	if err != nil {
		return nil, err
	}
	return &schema.UpdateAccountPayload{User: user}, nil
}

// Picture returns the address of the account's picture.
func (r userFields) Picture(ctx context.Context, user *model.Profile) (*string, error) {
	return batch.Load(ctx, user, "picture", r.core.PicturesOf)
}

// SetAccountPicture sets the picture of the caller's account.
func (r mutationFields) SetAccountPicture(ctx context.Context, in schema.SetAccountPictureInput) (*schema.SetAccountPicturePayload, error) {
	user, err := r.viewerOrError(ctx, r.core.SetAccountPicture(ctx, in.Picture))
	if err != nil {
		return nil, err
	}
	return &schema.SetAccountPicturePayload{User: user}, nil
}

// RemoveAccountPicture removes the picture of the caller's account.
func (r mutationFields) RemoveAccountPicture(ctx context.Context) (*schema.RemoveAccountPicturePayload, error) {
	user, err := r.viewerOrError(ctx, r.core.RemoveAccountPicture(ctx))
	if err != nil {
		return nil, err
	}
	return &schema.RemoveAccountPicturePayload{User: user}, nil
}

// ChangePassword sets the password of the caller's account.
func (r mutationFields) ChangePassword(ctx context.Context, in schema.ChangePasswordInput) (*schema.ChangePasswordPayload, error) {
	user, err := r.viewerOrError(ctx, r.core.Accounts().ChangePassword(ctx, model.Deref(in.CurrentPassword), in.NewPassword))
	if err != nil {
		return nil, err
	}
	return &schema.ChangePasswordPayload{User: user}, nil
}

// ChangeEmail mails a link to a new address of the caller's account.
func (r mutationFields) ChangeEmail(ctx context.Context, in schema.ChangeEmailInput) (*schema.ChangeEmailPayload, error) {
	user, err := r.viewerOrError(ctx, r.core.Accounts().ChangeEmail(ctx, in.Email, model.Deref(in.Password)))
	if err != nil {
		return nil, err
	}
	return &schema.ChangeEmailPayload{User: user}, nil
}

// ResendEmailChange mails a new link for the change that waits.
func (r mutationFields) ResendEmailChange(ctx context.Context) (*schema.ResendEmailChangePayload, error) {
	user, err := r.viewerOrError(ctx, r.core.Accounts().ResendEmailChange(ctx))
	if err != nil {
		return nil, err
	}
	return &schema.ResendEmailChangePayload{User: user}, nil
}

// CancelEmailChange ends the change that waits.
func (r mutationFields) CancelEmailChange(ctx context.Context) (*schema.CancelEmailChangePayload, error) {
	user, err := r.viewerOrError(ctx, r.core.Accounts().CancelEmailChange(ctx))
	if err != nil {
		return nil, err
	}
	return &schema.CancelEmailChangePayload{User: user}, nil
}

// SendEmailConfirmation mails a link to the address of the caller's account.
func (r mutationFields) SendEmailConfirmation(ctx context.Context) (*schema.SendEmailConfirmationPayload, error) {
	user, err := r.viewerOrError(ctx, r.core.Accounts().SendEmailConfirmation(ctx))
	if err != nil {
		return nil, err
	}
	return &schema.SendEmailConfirmationPayload{User: user}, nil
}

// DeleteAccount deletes the caller's account with its spaces and files. It needs a proof: the
// password, or a recent sign-in.
func (r mutationFields) DeleteAccount(ctx context.Context, in schema.DeleteAccountInput) (*schema.DeleteAccountPayload, error) {
	id, err := r.core.Accounts().DeleteAccount(ctx, model.Deref(in.Password))
	if err != nil {
		return nil, err
	}
	return &schema.DeleteAccountPayload{DeletedUserID: model.NodeID(model.NodeUser, id)}, nil
}

// ExportAccount returns the address of an export of the caller's account.
func (r mutationFields) ExportAccount(ctx context.Context) (*schema.ExportAccountPayload, error) {
	link, err := r.core.Mutation().ExportAccount(ctx)
	if err != nil {
		return nil, err
	}
	return &schema.ExportAccountPayload{URL: link.URL, ExpiresAt: link.ExpiresAt}, nil
}

// EndSession signs one browser of the caller out. It may be the browser that sends the request.
func (r mutationFields) EndSession(ctx context.Context, in schema.EndSessionInput) (*schema.EndSessionPayload, error) {
	user, err := r.viewerOrError(ctx, r.core.Accounts().EndSession(ctx, in.SessionID))
	if err != nil {
		return nil, err
	}
	return &schema.EndSessionPayload{User: user}, nil
}

// EndOtherSessions ends the sessions of the caller in other browsers.
func (r mutationFields) EndOtherSessions(ctx context.Context) (*schema.EndOtherSessionsPayload, error) {
	user, err := r.viewerOrError(ctx, r.core.Accounts().EndOtherSessions(ctx))
	if err != nil {
		return nil, err
	}
	return &schema.EndOtherSessionsPayload{User: user}, nil
}

// DisconnectApp ends the access of an app to the caller's account. All apps share the account's key
// (API section 5), so the others lose their access too.
func (r mutationFields) DisconnectApp(ctx context.Context, in schema.DisconnectAppInput) (*schema.DisconnectAppPayload, error) {
	user, err := r.viewerOrError(ctx, r.core.Accounts().DisconnectApp(ctx, in.AppID))
	if err != nil {
		return nil, err
	}
	return &schema.DisconnectAppPayload{User: user}, nil
}

// ConnectIdentity returns the address at which the caller's browser connects an identity.
func (r mutationFields) ConnectIdentity(ctx context.Context, in schema.ConnectIdentityInput) (*schema.ConnectIdentityPayload, error) {
	address, err := r.core.Accounts().ConnectIdentity(ctx, model.Deref(in.Password))
	if err != nil {
		return nil, err
	}
	return &schema.ConnectIdentityPayload{URL: address}, nil
}

// DisconnectIdentity unlinks an OpenID Connect provider.
func (r mutationFields) DisconnectIdentity(ctx context.Context, in schema.DisconnectIdentityInput) (*schema.DisconnectIdentityPayload, error) {
	user, err := r.viewerOrError(ctx, r.core.Accounts().DisconnectIdentity(ctx, in.Issuer, model.Deref(in.Password)))
	if err != nil {
		return nil, err
	}
	return &schema.DisconnectIdentityPayload{User: user}, nil
}

// viewerOrError returns the caller's account after a change, or the error of the change.
func (r mutationFields) viewerOrError(ctx context.Context, err error) (*model.Profile, error) {
	if err != nil {
		return nil, err
	}
	return queryFields(r).Viewer(ctx)
}
