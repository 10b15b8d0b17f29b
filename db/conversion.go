package db

import (
	"context"

	"portico/model"
)

// StartFileJob enqueues a job about a stored file, which model.NewConversion or model.NewExtraction has
// made, unless the same is under way, and returns the job. The file must be locked. The worker
// reserves storage for the result, because its size is unknown until then.
//
// The locked file makes two requests run one after the other: the second finds the job of the
// first. The index jobs_of_files, unique over the source and what the unfinished jobs do with it,
// guarantees it.
func (db *DB) StartFileJob(ctx context.Context, upload *model.Upload, job *model.Job) (*model.Job, error) {
	if running, err := db.runningFileJob(ctx, job); err != nil || running != nil {
		return running, err
	}
	if err := db.AddUpload(ctx, upload); err != nil {
		return nil, err
	}
	if err := db.AddJob(ctx, job); err != nil {
		return nil, err
	}
	return job, db.Enqueue(ctx, job.ID, model.RequestID(ctx))
}
