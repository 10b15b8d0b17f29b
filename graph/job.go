package graph

import (
	"context"
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/model"
)

// Job returns a job of the caller, until Settings.JobTTL after its end (API section 2, Job). Older
// jobs are only in ownedJobs, which GraphQL calls.
func (r Queries) Job(ctx context.Context, id string) (*model.Job, error) {
	job, err := r.access.OwnedJob(ctx, id)
	if err != nil {
		return nil, err
	}
	if !r.isShown(job) {
		return nil, model.NotFound(model.JobNotFound)
	}
	return job, nil
}

// isShown reports whether REST and MCP still show the job.
func (r *Resolver) isShown(job *model.Job) bool {
	ttl := r.settings.JobTTL
	return ttl <= 0 || job.EndedAt.IsZero() || time.Since(job.EndedAt.Time) <= ttl
}

// Jobs returns the caller's jobs, newest first, until Settings.JobTTL after their end.
//
// REST lists all of them: the API has no pages for jobs (API section 4).
func (r Queries) Jobs(ctx context.Context) ([]*model.Job, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	return r.db.Jobs().RecentJobsOf(ctx, c.UserID, r.settings.JobTTL)
}

// OwnedJobs returns a page of the caller's jobs that pass the filter.
func (r *Resolver) OwnedJobs(ctx context.Context, filter model.JobFilter, args model.Pager) (*model.JobConnection, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	return r.db.Jobs().Jobs(ctx, c.UserID, filter, page)
}

// CancelJob cancels a job that has not ended. Its worker stops at its next report, and deletes the
// objects that it has stored.
//
// The row fails at once, so the caller sees the end before the worker has noticed it.
func (r Mutations) CancelJob(ctx context.Context, id string) (*model.Job, error) {
	if _, err := r.access.OwnedJob(ctx, id); err != nil {
		return nil, err
	}
	var job *model.Job
	err := r.db.InTx(ctx, func(tx *db.DB) (err error) {
		job, err = tx.Jobs().FailJobAndUpload(ctx, id, 0, model.JobCanceled)
		return err
	})
	if err != nil {
		return nil, err
	}
	if job == nil { // it ended before this request
		return nil, model.JobHasEnded()
	}
	if job.Attempt == 0 {
		r.objects.RemoveUpload(ctx, job)
	}
	return job, nil
}
