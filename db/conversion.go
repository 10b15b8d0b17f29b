package db

import (
	"context"

	"portico/model"
)

// StartConversion enqueues the conversion of the file, unless it is under way, and returns its
// job. The file must be locked. The worker reserves storage for the result, because its size is
// unknown until then.
//
// The locked file makes two requests run one after the other: the second finds the job of the
// first. The index jobs_conversions, unique over the source, the target and the edits of unfinished
// jobs, guarantees it.
func (db *DB) StartConversion(
	ctx context.Context, file *model.File, to model.ConversionTarget, edits model.Edits,
) (*model.Job, error) {
	upload, job := model.NewConversion(file, to, edits)
	if running, err := db.ConversionOf(ctx, job); err != nil || running != nil {
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
