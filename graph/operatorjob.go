package graph

import (
	"context"
	"slices"
	"strings"

	"portico/db"
	"portico/graph/access"
	"portico/model"
	"portico/storage"
)

// maxFailedFiles is the maximum number of files in the list of failed preparations.
const maxFailedFiles = 100

// allJobs returns a page of the jobs of all accounts.
func (r *Resolver) allJobs(
	ctx context.Context, right *model.Operator, filter model.JobFilter, args model.Pager,
) (*model.OperatedJobConnection, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	return r.db.Jobs().OperatedJobs(ctx, filter, page)
}

// queues returns the unfinished work of the server.
func (r *Resolver) queues(ctx context.Context, right *model.Operator) ([]*model.Queue, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	lengths, err := r.db.Queue().QueueLengths(ctx)
	queues := make([]*model.Queue, len(lengths))
	for i, l := range lengths {
		queues[i] = &model.Queue{Kind: l.Kind, State: l.State, Jobs: l.Jobs, OldestSeconds: l.Oldest.Seconds()}
	}
	return queues, err
}

// failedFiles returns files whose preparation was given up.
func (r *Resolver) failedFiles(ctx context.Context, right *model.Operator) ([]*model.FailedFile, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	return r.db.Files().FailedFiles(ctx, maxFailedFiles)
}

// changeJob calls change for a job of any account, if the caller is an operator.
func (r *Resolver) changeJob(
	ctx context.Context, id string, change func(ctx context.Context, id string) (*model.OperatedJob, error),
) (*model.OperatedJob, error) {
	if _, err := r.access.Operator(ctx); err != nil {
		return nil, err
	}
	if !access.IsPrintableASCII(id) {
		return nil, model.NotFound(model.JobNotFound)
	}
	return change(ctx, id)
}

// retryJob starts a failed conversion of any account again.
func (r *Resolver) retryJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	return r.changeJob(ctx, id, r.db.Jobs().RetryJob)
}

// cancelAnyJob is CancelJob for an operator, who may cancel the jobs of all accounts.
func (r *Resolver) cancelAnyJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	job, err := r.changeJob(ctx, id, r.db.Jobs().CancelAnyJob)
	if err == nil && job.Attempt == 0 {
		r.removeCanceled(ctx, &job.Job)
	}
	return job, err
}

// retryQueue starts the work of a kind that waits for a retry, and returns how many jobs it
// started.
//
// It does not run the jobs: it makes them ready, and the workers take them by the usual order.
func (r *Resolver) retryQueue(ctx context.Context, kind string) (int, error) {
	if _, err := r.access.Operator(ctx); err != nil {
		return 0, err
	}
	if !slices.Contains(db.Kinds(), kind) {
		return 0, model.InvalidField("kind", "must be one of "+strings.Join(db.Kinds(), ", "))
	}
	return r.db.Queue().RetryQueue(ctx, kind)
}

// retryFile starts the failed steps of the preparation of a file again, and reports whether there
// were any.
func (r *Resolver) retryFile(ctx context.Context, resourceKey string) (bool, error) {
	if _, err := r.access.Operator(ctx); err != nil {
		return false, err
	}
	if storage.CheckKey(resourceKey) != nil {
		return false, model.NotFound(model.FileNotFound)
	}
	return r.db.Files().RetryFile(ctx, resourceKey)
}
