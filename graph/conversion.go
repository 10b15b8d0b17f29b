package graph

import (
	"context"

	"portico/db"
	"portico/model"
)

// ConvertFile starts a job that converts a file of the caller; the file stays. While the
// same conversion runs, it returns that job, because clients repeat a request whose answer
// they lost.
func (r Mutations) ConvertFile(ctx context.Context, in model.ConvertFile) (*model.Job, error) {
	file, err := r.ownedFile(ctx, in.ResourceKey)
	if err != nil {
		return nil, err
	}
	edits, err := in.Check(file)
	if err != nil {
		return nil, err
	}
	owned := func(key string) (*model.File, error) { return r.ownedFile(ctx, key) }
	if err := in.CheckMerged(owned); err != nil {
		return nil, err
	}
	var job *model.Job
	err = r.DB.InTx(ctx, func(tx *db.DB) (err error) {
		// The row's lock serialises concurrent requests for the same file.
		if file, err = tx.LockFile(ctx, file.UserID, in.ResourceKey); err != nil {
			return err
		}
		job, err = startConversion(ctx, tx, file, in.To, edits)
		return err
	})
	if err != nil {
		return nil, err
	}
	return job, nil
}

// startConversion enqueues the conversion of the file, unless it is under way. The worker
// reserves storage for the result, because its size is unknown until then.
func startConversion(ctx context.Context, tx *db.DB, file *model.File, to model.ConversionTarget, edits model.Edits) (*model.Job, error) {
	upload, job := model.NewConversion(file, to, edits)
	if running, err := tx.ConversionOf(ctx, job); err != nil || running != nil {
		return running, err
	}
	if err := tx.AddUpload(ctx, upload); err != nil {
		return nil, err
	}
	if err := tx.AddJob(ctx, job); err != nil {
		return nil, err
	}
	return job, tx.Enqueue(ctx, job.ID, model.RequestID(ctx))
}
