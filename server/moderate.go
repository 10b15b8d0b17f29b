package server

import (
	"context"

	"portico/model"
)

// SetOperator makes the account with this address or id an operator of the console, or takes
// the right away.
func (o *Operator) SetOperator(ctx context.Context, account string, on bool) (*model.Account, error) {
	return o.changeAccount(ctx, account, func(ctx context.Context, id string) error {
		_, err := o.program.DB.SetOperator(ctx, id, on)
		return err
	})
}

// DisableAccount ends all access to the account with this address or id, and hides its spaces.
func (o *Operator) DisableAccount(ctx context.Context, account, reason string) (*model.Account, error) {
	if err := model.CheckDisableReason(reason); err != nil {
		return nil, err
	}
	return o.changeAccount(ctx, account, func(ctx context.Context, id string) error {
		return o.program.DB.DisableUser(ctx, id, reason)
	})
}

// EnableAccount ends DisableAccount.
func (o *Operator) EnableAccount(ctx context.Context, account string) (*model.Account, error) {
	return o.changeAccount(ctx, account, o.program.DB.EnableUser)
}

// changeAccount changes the account with this address or id, and returns it.
func (o *Operator) changeAccount(
	ctx context.Context, account string, change func(ctx context.Context, id string) error,
) (*model.Account, error) {
	ctx = asOperator(ctx)
	user, err := o.account(ctx, account)
	if err != nil {
		return nil, err
	}
	if err := change(ctx, user.ID); err != nil {
		return nil, err
	}
	return o.program.DB.Account(ctx, user.ID)
}

// DeleteAccount deletes the account with this address or id, with everything that it has, and
// returns its id. A server removes its files from the store soon.
func (o *Operator) DeleteAccount(ctx context.Context, account string) (string, error) {
	ctx = asOperator(ctx)
	user, err := o.account(ctx, account)
	if err != nil {
		return "", err
	}
	return user.ID, o.program.DB.DeleteUser(ctx, user.ID, func() error { return nil })
}

// TakeDown makes a space Private until RestoreSpace, and notifies its owner.
func (o *Operator) TakeDown(ctx context.Context, in model.ReportSpace) error {
	if err := in.Validate(); err != nil {
		return err
	}
	return o.program.DB.TakeDown(asOperator(ctx), in)
}

// RestoreSpace ends the takedown of a space.
func (o *Operator) RestoreSpace(ctx context.Context, id string) error {
	return o.program.DB.RestoreSpace(asOperator(ctx), id)
}

// Spaces calls visit with each space that the filter selects, newest first, until visit
// returns an error.
func (o *Operator) Spaces(ctx context.Context, filter model.ModerationFilter, visit func(*model.ModeratedSpace) error) error {
	page := model.Page{Limit: model.MaxPageSize}
	for {
		found, err := o.program.DB.ModeratedSpaces(ctx, filter, page)
		if err != nil {
			return err
		}
		for _, space := range found.Nodes {
			if err := visit(space); err != nil {
				return err
			}
			page.After = space.Sequence
		}
		if !found.PageInfo.HasNextPage {
			return nil
		}
	}
}

// Jobs calls visit with each job that the filter selects, newest first, until visit returns an
// error.
func (o *Operator) Jobs(ctx context.Context, filter model.JobFilter, visit func(*model.OperatedJob) error) error {
	page := model.Page{Limit: model.MaxPageSize}
	for {
		found, err := o.program.DB.OperatedJobs(ctx, filter, page)
		if err != nil {
			return err
		}
		for _, job := range found.Nodes {
			if err := visit(job); err != nil {
				return err
			}
			page.After = job.Sequence
		}
		if !found.PageInfo.HasNextPage {
			return nil
		}
	}
}

// RetryJob starts a failed conversion again and returns the new job.
func (o *Operator) RetryJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	return o.program.DB.RetryJob(asOperator(ctx), id)
}

// StopJob cancels a job and returns it. A server removes its upload from the store soon.
func (o *Operator) StopJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	return o.program.DB.StopJob(asOperator(ctx), id)
}
