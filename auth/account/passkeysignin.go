package account

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"portico/model"
)

// StartPasskeySignIn returns the options with which a browser signs in with a passkey. They name no
// account, because the passkey identifies the account.
func (r *Registry) StartPasskeySignIn(ctx context.Context) (json.RawMessage, error) {
	if r.passkeys == nil {
		return nil, errNoPasskeys()
	}
	options, session, err := r.passkeys.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return nil, err
	}
	if err := r.addChallenge(ctx, "", session); err != nil {
		return nil, err
	}
	return json.Marshal(options)
}

// AuthenticatePasskey returns the account whose passkey signed the challenge of StartPasskeySignIn,
// or nil. credentialJSON is the credential that the browser returned. It records a failure in the
// audit trail, without an account, because nobody has proved to have one.
//
// Such a sign-in requires no one-time code, because a passkey with user verification is already two
// factors: the device, and a fingerprint, a face or a PIN.
func (r *Registry) AuthenticatePasskey(ctx context.Context, credentialJSON json.RawMessage) (*model.User, error) {
	if r.passkeys == nil {
		return nil, errNoPasskeys()
	}
	user, err := r.passkeyOwner(ctx, credentialJSON)
	if err == nil {
		return user, nil
	}
	if model.CodeOf(err) == model.CodeInternal && !errors.Is(err, errPasskey) {
		return nil, err
	}
	r.log.Info("passkey refused", "error", err, "request_id", model.RequestID(ctx))
	failed := model.NewSecurityEvent(ctx, model.EventSignInFailed, "").WithMethod(model.ByPasskey)
	return nil, r.db.Audit().AddSecurityEvent(ctx, failed)
}

// errPasskey is the error for a credential without a valid signature.
var errPasskey = errors.New("the passkey is not valid")

// passkeyOwner returns the account whose passkey signed the challenge.
//
// credentialJSON names the account by its user handle. The library checks that the credential that
// signed belongs to this account.
func (r *Registry) passkeyOwner(ctx context.Context, credentialJSON []byte) (*model.User, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(credentialJSON)
	if err != nil {
		return nil, errors.Join(errPasskey, err)
	}
	session, err := r.useChallenge(ctx, "", parsed.Response.CollectedClientData.Challenge)
	if err != nil {
		return nil, err
	}
	var owner passkeyUser
	var lookupErr error
	_, credential, err := r.passkeys.ValidatePasskeyLogin(func(_, handle []byte) (webauthn.User, error) {
		if !isStorable(string(handle)) {
			return nil, errPasskey
		}
		owner, lookupErr = r.passkeyUser(ctx, string(handle))
		return owner, lookupErr
	}, *session, parsed)
	if lookupErr != nil && model.CodeOf(lookupErr) == model.CodeInternal {
		return nil, lookupErr // says nothing about the passkey
	}
	if err != nil {
		return nil, errors.Join(errPasskey, err)
	}
	if credential.Authenticator.CloneWarning { // another device may have a copy of the key
		return nil, errors.Join(errPasskey, errors.New("the signature counter did not increase"))
	}
	stored, err := json.Marshal(credential)
	if err != nil {
		return nil, err
	}
	used, err := r.db.SignIns().UsePasskey(ctx, owner.user.ID, credential.ID, stored)
	if err == nil && !used { // the passkey was just removed
		err = errPasskey
	}
	return owner.user, err
}
