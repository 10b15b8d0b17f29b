package server

import (
	"context"

	"portico/model"
)

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

// StopJob cancels a job and returns it. A running server removes its upload from the store later.
func (o *Operator) StopJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	return o.program.DB.StopJob(asOperator(ctx), id)
}
