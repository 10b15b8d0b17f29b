package door

import (
	"context"

	"portico/graph/schema"
	"portico/model"
)

// RetryJob starts a failed conversion again.
func (r mutationFields) RetryJob(ctx context.Context, in schema.RetryJobInput) (*schema.RetryJobPayload, error) {
	id, err := model.OwnID(model.NodeJob, "jobId", in.JobID)
	if err != nil {
		return nil, err
	}
	job, err := r.core.Operator().RetryJob(ctx, id)
	if err != nil {
		return nil, err
	}
	return &schema.RetryJobPayload{Job: job}, nil
}

// CancelAnyJob is CancelJob for an operator, who may cancel the jobs of all accounts.
func (r mutationFields) CancelAnyJob(ctx context.Context, in schema.CancelAnyJobInput) (*schema.CancelAnyJobPayload, error) {
	id, err := model.OwnID(model.NodeJob, "jobId", in.JobID)
	if err != nil {
		return nil, err
	}
	job, err := r.core.Operator().CancelJob(ctx, id)
	if err != nil {
		return nil, err
	}
	return &schema.CancelAnyJobPayload{Job: job}, nil
}

// RetryQueue starts work that waits.
func (r mutationFields) RetryQueue(ctx context.Context, in schema.RetryQueueInput) (*schema.RetryQueuePayload, error) {
	started, err := r.core.Operator().RetryQueue(ctx, in.Kind)
	if err != nil {
		return nil, err
	}
	return &schema.RetryQueuePayload{Started: started}, nil
}

// RetryFile tries the preparation of a file again.
func (r mutationFields) RetryFile(ctx context.Context, in schema.RetryFileInput) (*schema.RetryFilePayload, error) {
	key, err := model.OwnID(model.NodeFile, "fileId", in.FileID)
	if err != nil {
		return nil, err
	}
	started, err := r.core.Operator().RetryFile(ctx, key)
	if err != nil {
		return nil, err
	}
	return &schema.RetryFilePayload{Started: started}, nil
}
