package operator

import (
	"context"
	"time"

	"portico/graph/access"
	"portico/model"
)

// IsOperator reports whether the caller's own account may operate the server; nil for other
// accounts.
func (s *Service) IsOperator(ctx context.Context, userID string) (*bool, error) {
	return access.OfOwnAccount(ctx, userID, func(ctx context.Context, id string) (*bool, error) {
		isOperator, err := s.db.Accounts().IsOperator(ctx, id)
		return &isOperator, err
	})
}

// Accounts returns a page of all accounts, newest first, with the storage that each uses.
func (s *Service) Accounts(
	ctx context.Context, right *model.Operator, filter model.AccountFilter, args model.Pager,
) (*model.AccountConnection, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	return s.db.Accounts().Accounts(ctx, filter, page)
}

// Account returns an account by its id, for an operator, or model.UserNotFound.
func (s *Service) Account(ctx context.Context, right *model.Operator, id string) (*model.Account, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	if !access.IsPrintableASCII(id) {
		return nil, model.NotFound(model.UserNotFound)
	}
	return s.db.Accounts().Account(ctx, id)
}

// changeAccount changes an account that is not an operator's, and returns it.
//
// The account of an operator is refused, so that one operator whose browser was taken over cannot
// lock out the others.
func (s *Service) changeAccount(
	ctx context.Context, id string, change func(ctx context.Context, id string) error,
) (*model.Account, error) {
	if _, err := s.access.Operator(ctx); err != nil {
		return nil, err
	}
	if err := s.checkNotOperator(ctx, id); err != nil {
		return nil, err
	}
	if err := change(ctx, id); err != nil {
		return nil, err
	}
	return s.db.Accounts().Account(ctx, id)
}

// SetAccountLimits changes the plan and the quota of an account. The account of an operator is
// allowed too.
func (s *Service) SetAccountLimits(ctx context.Context, id string, plan *model.Plan, quota *int64) (*model.Account, error) {
	if _, err := s.access.Operator(ctx); err != nil {
		return nil, err
	}
	if !access.IsPrintableASCII(id) {
		return nil, model.NotFound(model.UserNotFound)
	}
	if quota != nil {
		if err := model.CheckQuota(*quota); err != nil {
			return nil, err
		}
	}
	if _, err := s.db.Accounts().SetLimits(ctx, id, plan, quota); err != nil {
		return nil, err
	}
	return s.db.Accounts().Account(ctx, id)
}

// DisableAccount ends all access to an account, and hides its spaces.
func (s *Service) DisableAccount(ctx context.Context, id, reason string) (*model.Account, error) {
	return s.changeAccount(ctx, id, func(ctx context.Context, id string) error {
		if err := model.CheckDisableReason(reason); err != nil {
			return err
		}
		return s.db.Accounts().DisableUser(ctx, id, reason)
	})
}

// EnableAccount reverts DisableAccount.
func (s *Service) EnableAccount(ctx context.Context, id string) (*model.Account, error) {
	return s.changeAccount(ctx, id, s.db.Accounts().EnableUser)
}

// RemoveAccount deletes an account with all its data.
//
// It asks for the operator's own password, or a recent sign-in: it cannot be undone.
func (s *Service) RemoveAccount(ctx context.Context, id, password string) error {
	if _, err := s.access.Operator(ctx); err != nil {
		return err
	}
	if err := s.checkNotOperator(ctx, id); err != nil {
		return err
	}
	if _, err := s.access.ProvenCaller(ctx, password); err != nil {
		return err
	}
	return s.accounts.DeleteUser(ctx, id, func() error { return nil })
}

// checkNotOperator refuses the account of an operator, so that operators cannot lock out each other
// or themselves. The command line can.
func (s *Service) checkNotOperator(ctx context.Context, id string) error {
	if !access.IsPrintableASCII(id) {
		return model.NotFound(model.UserNotFound)
	}
	account, err := s.db.Accounts().Account(ctx, id)
	if err == nil && account.Operator {
		err = model.Forbidden("This account belongs to an operator. Remove that role with portico user operator EMAIL off")
	}
	return err
}

// AuditEntries returns a page of the audit trail of all accounts.
func (s *Service) AuditEntries(
	ctx context.Context, right *model.Operator, filter model.AuditEntryFilter, args model.Pager,
) (*model.AuditEntryConnection, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	if !access.IsPrintableASCII(filter.Account) {
		return nil, model.InvalidField("accountId", "must be the id of an account")
	}
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	return s.db.Audit().AuditEntries(ctx, filter, page)
}

// Samples returns the state of the server over time, from since until now.
//
// since is moved to the age of the oldest sample, so a client cannot ask for more than is stored.
func (s *Service) Samples(ctx context.Context, right *model.Operator, since model.Time) ([]*model.Sample, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	earliest := time.Now().Add(-model.SampleAge)
	if since.Before(earliest) {
		since.Time = earliest
	}
	if s.storeRequests != nil {
		if err := s.storeRequests(ctx); err != nil {
			return nil, err
		}
	}
	return s.db.Operations().Samples(ctx, since.Time)
}

// Settings returns the settings of the process that got the request. Secrets are hidden.
func (s *Service) Settings(ctx context.Context, right *model.Operator) ([]*model.Setting, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	return s.settings, nil
}
