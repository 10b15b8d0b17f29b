package operator

import (
	"context"

	"portico/model"
)

// Jobs calls visit with each job that the filter selects, newest first, until visit returns an
// error.
func (o *Operator) Jobs(ctx context.Context, filter model.JobFilter, visit func(*model.OperatedJob) error) error {
	page := model.Page{Limit: model.MaxPageSize}
	return visitPages(page, func(page model.Page) (*model.Connection[*model.OperatedJob], error) {
		found, err := o.program.DB.Jobs().OperatedJobs(ctx, filter, page)
		return (*model.Connection[*model.OperatedJob])(found), err
	}, visit)
}

// RetryJob starts a failed conversion again and returns the new job.
func (o *Operator) RetryJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	return o.program.DB.Jobs().RetryJob(asOperator(ctx), id)
}

// CancelAnyJob cancels a job and returns it. A running server removes its upload from the store
// later.
func (o *Operator) CancelAnyJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	return o.program.DB.Jobs().CancelAnyJob(asOperator(ctx), id)
}
