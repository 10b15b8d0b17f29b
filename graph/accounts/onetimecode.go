package accounts

import (
	"context"

	"portico/graph/access"
	"portico/model"
)

// OneTimeCodes returns the state of the codes of the caller's own account; nil for other accounts.
func (s *Service) OneTimeCodes(ctx context.Context, userID string) (*model.OneTimeCodes, error) {
	return access.OfOwnAccount(ctx, userID, s.db.SignIns().OneTimeCodes)
}

// StartOneTimeCodes creates a secret for the caller's authenticator app.
//
// RFC 6238: the secret is shown once, for the app to scan.
func (s *Service) StartOneTimeCodes(ctx context.Context, password string) (*model.OneTimeSecret, error) {
	c, err := s.access.ProvenCaller(ctx, password)
	if err != nil {
		return nil, err
	}
	return s.registry.StartOneTimeCodes(ctx, c)
}

// ConfirmOneTimeCodes turns the caller's codes on, and returns the recovery codes.
func (s *Service) ConfirmOneTimeCodes(ctx context.Context, code string) ([]string, error) {
	c, err := access.BrowserCaller(ctx)
	if err != nil {
		return nil, err
	}
	return s.registry.ConfirmOneTimeCodes(ctx, c, code)
}

// EndOneTimeCodes turns the caller's codes off.
func (s *Service) EndOneTimeCodes(ctx context.Context, password string) error {
	c, err := s.access.ProvenCaller(ctx, password)
	if err != nil {
		return err
	}
	ended, err := s.db.SignIns().EndOneTimeCodes(ctx, c.UserID)
	if err == nil && !ended {
		err = model.NotFound(model.OneTimeCodesOff)
	}
	return err
}
