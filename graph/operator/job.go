package operator

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

// Jobs returns a page of the jobs of all accounts.
func (s *Service) Jobs(
	ctx context.Context, right *model.Operator, filter model.JobFilter, args model.Pager,
) (*model.OperatedJobConnection, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	return s.db.Jobs().OperatedJobs(ctx, filter, page)
}

// Queues returns the unfinished work of the server.
func (s *Service) Queues(ctx context.Context, right *model.Operator) ([]*model.Queue, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	lengths, err := s.db.Queue().QueueLengths(ctx)
	queues := make([]*model.Queue, len(lengths))
	for i, l := range lengths {
		queues[i] = &model.Queue{Kind: l.Kind, State: l.State, Jobs: l.Jobs, OldestSeconds: l.Oldest.Seconds()}
	}
	return queues, err
}

// FailedFiles returns files whose preparation was given up.
func (s *Service) FailedFiles(ctx context.Context, right *model.Operator) ([]*model.FailedFile, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	return s.db.Files().FailedFiles(ctx, maxFailedFiles)
}

// changeJob calls change for a job of any account, if the caller is an operator.
func (s *Service) changeJob(
	ctx context.Context, id string, change func(ctx context.Context, id string) (*model.OperatedJob, error),
) (*model.OperatedJob, error) {
	if _, err := s.access.Operator(ctx); err != nil {
		return nil, err
	}
	if !access.IsPrintableASCII(id) {
		return nil, model.NotFound(model.JobNotFound)
	}
	return change(ctx, id)
}

// RetryJob starts a failed conversion of any account again.
func (s *Service) RetryJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	return s.changeJob(ctx, id, s.db.Jobs().RetryJob)
}

// CancelJob cancels a job of any account that has not ended.
func (s *Service) CancelJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	job, err := s.changeJob(ctx, id, s.db.Jobs().CancelAnyJob)
	if err == nil && job.Attempt == 0 {
		s.objects.RemoveUpload(ctx, &job.Job)
	}
	return job, err
}

// RetryQueue starts the work of a kind that waits for a retry, and returns how many jobs it
// started.
//
// It does not run the jobs: it makes them ready, and the workers take them by the usual order.
func (s *Service) RetryQueue(ctx context.Context, kind string) (int, error) {
	if _, err := s.access.Operator(ctx); err != nil {
		return 0, err
	}
	if !slices.Contains(db.Kinds(), kind) {
		return 0, model.InvalidField("kind", "must be one of "+strings.Join(db.Kinds(), ", "))
	}
	return s.db.Queue().RetryQueue(ctx, kind)
}

// RetryFile starts the failed steps of the preparation of a file again, and reports whether there
// were any.
func (s *Service) RetryFile(ctx context.Context, resourceKey string) (bool, error) {
	if _, err := s.access.Operator(ctx); err != nil {
		return false, err
	}
	if storage.CheckKey(resourceKey) != nil {
		return false, model.NotFound(model.FileNotFound)
	}
	return s.db.Files().RetryFile(ctx, resourceKey)
}
