package door

import (
	"context"

	"portico/graph"
	"portico/graph/schema"
	"portico/model"
)

// operatorFields resolves the data for operators.
type operatorFields struct{ core *graph.Resolver }

// moderatedFields resolves the fields of spaces as operators see them.
type moderatedFields struct{ core *graph.Resolver }

// Operator implements ResolverRoot.
func (r schemaRoot) Operator() OperatorResolver { return operatorFields(r) }

// ModeratedSpace implements ResolverRoot.
func (r schemaRoot) ModeratedSpace() ModeratedSpaceResolver { return moderatedFields(r) }

// Operator returns the right of the caller to operate the server.
func (r queryFields) Operator(ctx context.Context) (*model.Operator, error) {
	return r.core.Access().Operator(ctx)
}

// IsOperator reports whether the caller's own account may operate the server; nil for other
// accounts.
func (r userFields) IsOperator(ctx context.Context, user *model.Profile) (*bool, error) {
	return r.core.Operator().IsOperator(ctx, user.ID)
}

// Accounts returns a page of all accounts, newest first. Search matches their addresses, names and
// ids.
func (r operatorFields) Accounts(
	ctx context.Context, right *model.Operator, search *string, filter *model.AccountFilter,
	first *int, after *string, last *int, before *string,
) (*model.AccountConnection, error) {
	args := connection(ctx, first, after, last, before)
	args.Search, args.Order = model.Deref(search), model.Order{Field: model.OrderByDate, Direction: model.Descending}
	return r.core.Operator().Accounts(ctx, right, model.Deref(filter), args)
}

// Account returns the account with this GraphQL id, or model.UserNotFound.
func (r operatorFields) Account(ctx context.Context, right *model.Operator, nodeID string) (*model.Account, error) {
	id, err := model.OwnID(model.NodeUser, "id", nodeID)
	if err != nil {
		return nil, err
	}
	return r.core.Operator().Account(ctx, right, id)
}

// Spaces returns a page of the spaces that others than their owners can open, could open before they
// were taken down, or have reported, with their open reports.
func (r operatorFields) Spaces(
	ctx context.Context, right *model.Operator, search *string, filter *model.ModerationFilter,
	first *int, after *string, last *int, before *string,
) (*model.ModeratedSpaceConnection, error) {
	args := connection(ctx, first, after, last, before)
	args.Search = model.Deref(search)
	return r.core.Operator().Spaces(ctx, right, model.Deref(filter), args)
}

// Jobs returns a page of the jobs of all accounts.
func (r operatorFields) Jobs(
	ctx context.Context, right *model.Operator, filter *model.JobFilter, first *int, after *string, last *int, before *string,
) (*model.OperatedJobConnection, error) {
	return r.core.Operator().Jobs(ctx, right, model.Deref(filter), connection(ctx, first, after, last, before))
}

// Queues returns the unfinished work.
func (r operatorFields) Queues(ctx context.Context, right *model.Operator) ([]*model.Queue, error) {
	return r.core.Operator().Queues(ctx, right)
}

// FailedFiles returns files whose preparation was given up.
func (r operatorFields) FailedFiles(ctx context.Context, right *model.Operator) ([]*model.FailedFile, error) {
	return r.core.Operator().FailedFiles(ctx, right)
}

// Samples returns the state of the server over time.
func (r operatorFields) Samples(ctx context.Context, right *model.Operator, since model.Time) ([]*model.Sample, error) {
	return r.core.Operator().Samples(ctx, right, since)
}

// Settings returns the settings of the process that answers. Secrets are hidden.
func (r operatorFields) Settings(ctx context.Context, right *model.Operator) ([]*model.Setting, error) {
	return r.core.Operator().Settings(ctx, right)
}

// AuditTrail returns a page of the security events of all accounts, or of one, newest first.
func (r operatorFields) AuditTrail(
	ctx context.Context, right *model.Operator, accountID *string, types []model.SecurityEventType,
	first *int, after *string, last *int, before *string,
) (*model.AuditEntryConnection, error) {
	id, err := model.OwnID(model.NodeUser, "accountId", model.Deref(accountID))
	if err != nil {
		return nil, err
	}
	filter := model.AuditEntryFilter{Account: id, Types: types}
	return r.core.Operator().AuditEntries(ctx, right, filter, connection(ctx, first, after, last, before))
}

// URL returns the address of the page of the space.
func (r moderatedFields) URL(_ context.Context, space *model.ModeratedSpace) (string, error) {
	return r.core.SpaceURL(&model.Space{ID: space.ID}), nil
}

// Takedown returns why the caller's space was taken down.
func (r spaceFields) Takedown(ctx context.Context, space *model.Space) (*model.Takedown, error) {
	return r.core.Takedown(ctx, space)
}

// SetAccountLimits changes the plan and the quota of an account.
func (r mutationFields) SetAccountLimits(ctx context.Context, in schema.SetAccountLimitsInput) (*schema.SetAccountLimitsPayload, error) {
	id, err := model.OwnID(model.NodeUser, "accountId", in.AccountID)
	if err != nil {
		return nil, err
	}
	account, err := r.core.Operator().SetAccountLimits(ctx, id, in.Plan, in.Quota)
	if err != nil {
		return nil, err
	}
	return &schema.SetAccountLimitsPayload{Account: account}, nil
}

// DisableAccount ends all access to an account and hides its spaces, until EnableAccount.
func (r mutationFields) DisableAccount(ctx context.Context, in schema.DisableAccountInput) (*schema.DisableAccountPayload, error) {
	id, err := model.OwnID(model.NodeUser, "accountId", in.AccountID)
	if err != nil {
		return nil, err
	}
	account, err := r.core.Operator().DisableAccount(ctx, id, model.Deref(in.Reason))
	if err != nil {
		return nil, err
	}
	return &schema.DisableAccountPayload{Account: account}, nil
}

// EnableAccount ends what DisableAccount did: the owner can sign in, and the spaces are shown
// again.
func (r mutationFields) EnableAccount(ctx context.Context, in schema.EnableAccountInput) (*schema.EnableAccountPayload, error) {
	id, err := model.OwnID(model.NodeUser, "accountId", in.AccountID)
	if err != nil {
		return nil, err
	}
	account, err := r.core.Operator().EnableAccount(ctx, id)
	if err != nil {
		return nil, err
	}
	return &schema.EnableAccountPayload{Account: account}, nil
}

// RemoveAccount deletes an account with all its data. It needs a proof of the operator: the
// password, or a recent sign-in.
func (r mutationFields) RemoveAccount(ctx context.Context, in schema.RemoveAccountInput) (*schema.RemoveAccountPayload, error) {
	id, err := model.OwnID(model.NodeUser, "accountId", in.AccountID)
	if err != nil {
		return nil, err
	}
	if err := r.core.Operator().RemoveAccount(ctx, id, model.Deref(in.Password)); err != nil {
		return nil, err
	}
	return &schema.RemoveAccountPayload{DeletedUserID: model.NodeID(model.NodeUser, id)}, nil
}
