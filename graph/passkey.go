package graph

import (
	"context"
	"encoding/json"

	"portico/graph/access"
	"portico/model"
)

// passkeys returns the passkeys of the caller's own account; nil for other accounts, and where the
// server has none.
func (r *Resolver) passkeys(ctx context.Context, userID string) ([]*model.Passkey, error) {
	return access.OfOwnAccount(ctx, userID, func(ctx context.Context, id string) ([]*model.Passkey, error) {
		if r.accounts == nil || !r.accounts.HasPasskeys() {
			return nil, nil
		}
		stored, err := r.db.SignIns().Passkeys(ctx, id)
		passkeys := make([]*model.Passkey, len(stored))
		for i, passkey := range stored {
			passkeys[i] = &passkey.Passkey
		}
		return passkeys, err
	})
}

// startPasskey returns the options with which a browser creates a passkey for the caller.
//
// The first half of the registration ceremony of WebAuthn (section 7.1). The proof of the account
// is required here, because a passkey is a new way to sign in.
func (r *Resolver) startPasskey(ctx context.Context, password string) (model.Object, error) {
	c, err := r.access.ProvenCaller(ctx, password)
	if err != nil {
		return nil, err
	}
	options, err := r.accounts.StartPasskey(ctx, c)
	if err != nil {
		return nil, err
	}
	var object model.Object
	return object, json.Unmarshal(options, &object)
}

// addPasskey stores the passkey that the caller's browser created. It needs no proof: the challenge
// of startPasskey belongs to the account and expires.
func (r *Resolver) addPasskey(ctx context.Context, name string, credential model.Object) error {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(credential)
	if err != nil {
		return err
	}
	return r.accounts.AddPasskey(ctx, c, name, text)
}

// removePasskey removes a passkey of the caller, unless it is the last way to sign in.
func (r *Resolver) removePasskey(ctx context.Context, id, password string) error {
	c, err := r.access.ProvenCaller(ctx, password)
	if err != nil {
		return err
	}
	if !access.IsPrintableASCII(id) {
		return model.NotFound(model.PasskeyNotFound)
	}
	return r.db.SignIns().RemovePasskey(ctx, c.UserID, id)
}
