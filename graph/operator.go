package graph

import (
	"context"
	"time"

	"portico/graph/access"
	"portico/model"
)

// isOperator reports whether the caller's own account may operate the server; nil for other
// accounts.
func (r *Resolver) isOperator(ctx context.Context, userID string) (*bool, error) {
	return access.OfOwnAccount(ctx, userID, func(ctx context.Context, id string) (*bool, error) {
		isOperator, err := r.db.Accounts().IsOperator(ctx, id)
		return &isOperator, err
	})
}

// allAccounts returns a page of all accounts, newest first, with the storage that each uses.
func (r *Resolver) allAccounts(
	ctx context.Context, right *model.Operator, filter model.AccountFilter, args model.Pager,
) (*model.AccountConnection, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	return r.db.Accounts().Accounts(ctx, filter, page)
}

// anyAccount returns an account by its id, for an operator, or model.UserNotFound.
func (r *Resolver) anyAccount(ctx context.Context, right *model.Operator, id string) (*model.Account, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	if !access.IsPrintableASCII(id) {
		return nil, model.NotFound(model.UserNotFound)
	}
	return r.db.Accounts().Account(ctx, id)
}

// changeAccount changes an account that is not an operator's, and returns it.
//
// The account of an operator is refused, so that one operator whose browser was taken over cannot
// lock out the others.
func (r *Resolver) changeAccount(
	ctx context.Context, id string, change func(ctx context.Context, id string) error,
) (*model.Account, error) {
	if _, err := r.access.Operator(ctx); err != nil {
		return nil, err
	}
	if err := r.checkNotOperator(ctx, id); err != nil {
		return nil, err
	}
	if err := change(ctx, id); err != nil {
		return nil, err
	}
	return r.db.Accounts().Account(ctx, id)
}

// setAccountLimits changes the plan and the quota of an account. The account of an operator is
// allowed too.
func (r *Resolver) setAccountLimits(ctx context.Context, id string, plan *model.Plan, quota *int64) (*model.Account, error) {
	if _, err := r.access.Operator(ctx); err != nil {
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
	if _, err := r.db.Accounts().SetLimits(ctx, id, plan, quota); err != nil {
		return nil, err
	}
	return r.db.Accounts().Account(ctx, id)
}

// disableAccount ends all access to an account, and hides its spaces.
func (r *Resolver) disableAccount(ctx context.Context, id, reason string) (*model.Account, error) {
	return r.changeAccount(ctx, id, func(ctx context.Context, id string) error {
		if err := model.CheckDisableReason(reason); err != nil {
			return err
		}
		return r.db.Accounts().DisableUser(ctx, id, reason)
	})
}

// enableAccount reverts disableAccount.
func (r *Resolver) enableAccount(ctx context.Context, id string) (*model.Account, error) {
	return r.changeAccount(ctx, id, r.db.Accounts().EnableUser)
}

// removeAccount deletes an account with all its data.
//
// It asks for the operator's own password, or a recent sign-in: it cannot be undone.
func (r *Resolver) removeAccount(ctx context.Context, id, password string) error {
	if _, err := r.access.Operator(ctx); err != nil {
		return err
	}
	if err := r.checkNotOperator(ctx, id); err != nil {
		return err
	}
	if _, err := r.access.ProvenCaller(ctx, password); err != nil {
		return err
	}
	return r.accounts.DeleteUser(ctx, id, func() error { return nil })
}

// checkNotOperator refuses the account of an operator, so that operators cannot lock out each other
// or themselves. The command line can.
func (r *Resolver) checkNotOperator(ctx context.Context, id string) error {
	if !access.IsPrintableASCII(id) {
		return model.NotFound(model.UserNotFound)
	}
	account, err := r.db.Accounts().Account(ctx, id)
	if err == nil && account.Operator {
		err = model.Forbidden("This account belongs to an operator. Remove that role with portico user operator EMAIL off")
	}
	return err
}

// auditEntries returns a page of the audit trail of all accounts.
func (r *Resolver) auditEntries(
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
	return r.db.Audit().AuditEntries(ctx, filter, page)
}

// samples returns the state of the server over time, from since until now.
//
// since is moved to the age of the oldest sample, so a client cannot ask for more than is stored.
func (r *Resolver) samples(ctx context.Context, right *model.Operator, since model.Time) ([]*model.Sample, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	earliest := time.Now().Add(-model.SampleAge)
	if since.Before(earliest) {
		since.Time = earliest
	}
	if r.storeRequests != nil {
		if err := r.storeRequests(ctx); err != nil {
			return nil, err
		}
	}
	return r.db.Operations().Samples(ctx, since.Time)
}

// operatorSettings returns the settings of the process that got the request. Secrets are hidden.
func (r *Resolver) operatorSettings(ctx context.Context, right *model.Operator) ([]*model.Setting, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	return r.effectiveSettings, nil
}
