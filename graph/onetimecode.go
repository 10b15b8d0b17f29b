package graph

import (
	"context"

	"portico/graph/access"
	"portico/model"
)

// oneTimeCodes returns the state of the codes of the caller's own account; nil for other accounts.
func (r *Resolver) oneTimeCodes(ctx context.Context, userID string) (*model.OneTimeCodes, error) {
	return access.OfOwnAccount(ctx, userID, r.db.SignIns().OneTimeCodes)
}

// startOneTimeCodes creates a secret for the caller's authenticator app.
//
// RFC 6238: the secret is shown once, for the app to scan.
func (r *Resolver) startOneTimeCodes(ctx context.Context, password string) (*model.OneTimeSecret, error) {
	c, err := r.access.ProvenCaller(ctx, password)
	if err != nil {
		return nil, err
	}
	return r.accounts.StartOneTimeCodes(ctx, c)
}

// confirmOneTimeCodes turns the caller's codes on, and returns the recovery codes.
func (r *Resolver) confirmOneTimeCodes(ctx context.Context, code string) ([]string, error) {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return nil, err
	}
	return r.accounts.ConfirmOneTimeCodes(ctx, c, code)
}

// endOneTimeCodes turns the caller's codes off.
func (r *Resolver) endOneTimeCodes(ctx context.Context, password string) error {
	c, err := r.access.ProvenCaller(ctx, password)
	if err != nil {
		return err
	}
	ended, err := r.db.SignIns().EndOneTimeCodes(ctx, c.UserID)
	if err == nil && !ended {
		err = model.NotFound(model.OneTimeCodesOff)
	}
	return err
}
