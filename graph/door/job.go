package door

import (
	"context"
	"fmt"

	"portico/graph/schema"
	"portico/model"
)

// Job returns a job of the caller by its GraphQL id.
func (r queryFields) Job(ctx context.Context, nodeID string) (*model.Job, error) {
	id, err := model.OwnID(model.NodeJob, "id", nodeID)
	if err != nil {
		return nil, err
	}
	return r.core.Access().OwnedJob(ctx, id)
}

// Jobs returns a page of the caller's jobs.
func (r queryFields) Jobs(
	ctx context.Context, filter *model.JobFilter, first *int, after *string, last *int, before *string,
) (*model.JobConnection, error) {
	return r.core.OwnedJobs(ctx, model.Deref(filter), connection(ctx, first, after, last, before))
}

// URL returns the public address of the job's result.
func (r jobFields) URL(_ context.Context, job *model.Job) (*string, error) {
	return r.core.JobURL(job), nil
}

// ConvertFile starts a job that converts a file of the caller. The result is a new file.
func (r mutationFields) ConvertFile(ctx context.Context, in schema.ConvertFileInput) (*schema.ConvertFilePayload, error) {
	key, err := model.OwnID(model.NodeFile, "fileId", in.FileID)
	if err != nil {
		return nil, err
	}
	for i, edit := range in.Edits {
		if edit == nil || edit.Merge == nil {
			continue
		}
		field := fmt.Sprintf("edits.%d.merge.fileId", i)
		if edit.Merge.ResourceKey, err = model.OwnID(model.NodeFile, field, edit.Merge.ResourceKey); err != nil {
			return nil, err
		}
	}
	conversion := model.ConvertFile{ResourceKey: key, To: in.To, Edits: in.Edits}
	if to := in.ReplaceIn; to != nil {
		space, entity, err := entityIDs(to.SpaceID, to.EntityID)
		if err != nil {
			return nil, err
		}
		conversion.ReplaceIn = &model.ReplaceIn{SpaceID: space, EntityID: entity, Data: to.Data}
		ctx = model.WithLockToken(ctx, model.Deref(to.LockToken))
	}
	job, err := r.core.Mutation().ConvertFile(ctx, conversion)
	if err != nil {
		return nil, err
	}
	return &schema.ConvertFilePayload{Job: job}, nil
}

// ExtractCapture starts a job that makes a file of one capture of a zip of the caller.
func (r mutationFields) ExtractCapture(ctx context.Context, in schema.ExtractCaptureInput) (*schema.ExtractCapturePayload, error) {
	key, err := model.OwnID(model.NodeFile, "fileId", in.FileID)
	if err != nil {
		return nil, err
	}
	job, err := r.core.Mutation().ExtractCapture(ctx, model.ExtractCapture{ResourceKey: key, Name: in.Name})
	if err != nil {
		return nil, err
	}
	return &schema.ExtractCapturePayload{Job: job}, nil
}

// CancelJob cancels a job of the caller that has not ended. The job fails at once.
func (r mutationFields) CancelJob(ctx context.Context, in schema.CancelJobInput) (*schema.CancelJobPayload, error) {
	id, err := model.OwnID(model.NodeJob, "jobId", in.JobID)
	if err != nil {
		return nil, err
	}
	job, err := r.core.Mutation().CancelJob(ctx, id)
	if err != nil {
		return nil, err
	}
	return &schema.CancelJobPayload{Job: job}, nil
}

// Job subscribes to a job of the caller.
func (r subscriptionFields) Job(ctx context.Context, nodeID string) (<-chan *model.Job, error) {
	id, err := model.OwnID(model.NodeJob, "id", nodeID)
	if err != nil {
		return nil, err
	}
	return r.core.Subscription().Job(ctx, id)
}

// Jobs subscribes to all jobs of the caller.
func (r subscriptionFields) Jobs(ctx context.Context) (<-chan *model.Job, error) {
	return r.core.Subscription().Jobs(ctx)
}
