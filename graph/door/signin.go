package door

import (
	"context"

	"portico/graph/schema"
	"portico/model"
)

// Passkeys returns the passkeys of the caller's own account; nil for other accounts, and where
// the server has none.
func (r userFields) Passkeys(ctx context.Context, user *model.Profile) ([]*model.Passkey, error) {
	return r.core.Accounts().Passkeys(ctx, user.ID)
}

// OneTimeCodes returns the state of the caller's own codes; nil for other accounts.
func (r userFields) OneTimeCodes(ctx context.Context, user *model.Profile) (*model.OneTimeCodes, error) {
	return r.core.Accounts().OneTimeCodes(ctx, user.ID)
}

// StartPasskey returns the options with which the caller's browser makes a passkey. It needs a
// proof.
func (r mutationFields) StartPasskey(ctx context.Context, in schema.StartPasskeyInput) (*schema.StartPasskeyPayload, error) {
	options, err := r.core.Accounts().StartPasskey(ctx, model.Deref(in.Password))
	if err != nil {
		return nil, err
	}
	return &schema.StartPasskeyPayload{Options: options}, nil
}

// AddPasskey stores the passkey that the caller's browser made with the options of StartPasskey.
func (r mutationFields) AddPasskey(ctx context.Context, in schema.AddPasskeyInput) (*schema.AddPasskeyPayload, error) {
	user, err := r.viewerOrError(ctx, r.core.Accounts().AddPasskey(ctx, in.Name, in.Credential))
	if err != nil {
		return nil, err
	}
	return &schema.AddPasskeyPayload{User: user}, nil
}

// RemovePasskey removes a passkey of the caller. It needs a proof. The account keeps its password or
// an identity, which db.RemoveIdentity ensures.
func (r mutationFields) RemovePasskey(ctx context.Context, in schema.RemovePasskeyInput) (*schema.RemovePasskeyPayload, error) {
	user, err := r.viewerOrError(ctx, r.core.Accounts().RemovePasskey(ctx, in.PasskeyID, model.Deref(in.Password)))
	if err != nil {
		return nil, err
	}
	return &schema.RemovePasskeyPayload{User: user}, nil
}

// StartOneTimeCodes returns a secret for the caller's authenticator app. The codes are off until
// ConfirmOneTimeCodes.
func (r mutationFields) StartOneTimeCodes(ctx context.Context, in schema.StartOneTimeCodesInput) (*schema.StartOneTimeCodesPayload, error) {
	secret, err := r.core.Accounts().StartOneTimeCodes(ctx, model.Deref(in.Password))
	if err != nil {
		return nil, err
	}
	return &schema.StartOneTimeCodesPayload{Secret: secret.Secret, URI: secret.URI, QRCode: secret.QRCode}, nil
}

// ConfirmOneTimeCodes turns one-time codes on, if the code is one of the secret. Only this response
// has the recovery codes.
func (r mutationFields) ConfirmOneTimeCodes(ctx context.Context, in schema.ConfirmOneTimeCodesInput) (*schema.ConfirmOneTimeCodesPayload, error) {
	recovery, err := r.core.Accounts().ConfirmOneTimeCodes(ctx, in.Code)
	user, err := r.viewerOrError(ctx, err)
	if err != nil {
		return nil, err
	}
	return &schema.ConfirmOneTimeCodesPayload{RecoveryCodes: recovery, User: user}, nil
}

// EndOneTimeCodes turns the caller's one-time codes off. It needs a proof.
func (r mutationFields) EndOneTimeCodes(ctx context.Context, in schema.EndOneTimeCodesInput) (*schema.EndOneTimeCodesPayload, error) {
	user, err := r.viewerOrError(ctx, r.core.Accounts().EndOneTimeCodes(ctx, model.Deref(in.Password)))
	if err != nil {
		return nil, err
	}
	return &schema.EndOneTimeCodesPayload{User: user}, nil
}
