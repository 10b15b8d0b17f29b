package accounts

import (
	"context"
	"encoding/json"

	"portico/graph/access"
	"portico/model"
)

// Passkeys returns the passkeys of the caller's own account; nil for other accounts, and where the
// server has none.
func (s *Service) Passkeys(ctx context.Context, userID string) ([]*model.Passkey, error) {
	return access.OfOwnAccount(ctx, userID, func(ctx context.Context, id string) ([]*model.Passkey, error) {
		if s.registry == nil || !s.registry.HasPasskeys() {
			return nil, nil
		}
		stored, err := s.db.SignIns().Passkeys(ctx, id)
		passkeys := make([]*model.Passkey, len(stored))
		for i, passkey := range stored {
			passkeys[i] = &passkey.Passkey
		}
		return passkeys, err
	})
}

// StartPasskey returns the options with which a browser creates a passkey for the caller.
//
// The first half of the registration ceremony of WebAuthn (section 7.1). The proof of the account
// is required here, because a passkey is a new way to sign in.
func (s *Service) StartPasskey(ctx context.Context, password string) (model.Object, error) {
	c, err := s.access.ProvenCaller(ctx, password)
	if err != nil {
		return nil, err
	}
	options, err := s.registry.StartPasskey(ctx, c)
	if err != nil {
		return nil, err
	}
	var object model.Object
	return object, json.Unmarshal(options, &object)
}

// AddPasskey stores the passkey that the caller's browser created. It needs no proof: the challenge
// of StartPasskey belongs to the account and expires.
func (s *Service) AddPasskey(ctx context.Context, name string, credential model.Object) error {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(credential)
	if err != nil {
		return err
	}
	return s.registry.AddPasskey(ctx, c, name, text)
}

// RemovePasskey removes a passkey of the caller, unless it is the last way to sign in.
func (s *Service) RemovePasskey(ctx context.Context, id, password string) error {
	c, err := s.access.ProvenCaller(ctx, password)
	if err != nil {
		return err
	}
	if !access.IsPrintableASCII(id) {
		return model.NotFound(model.PasskeyNotFound)
	}
	return s.db.SignIns().RemovePasskey(ctx, c.UserID, id)
}
