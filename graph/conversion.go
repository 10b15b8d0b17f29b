package graph

import (
	"context"

	"portico/db"
	"portico/model"
)

// ConvertFile starts a job that converts a file of the caller; the file stays.
// While one runs that converts it to the same, that job is the answer: clients
// repeat what they got no answer to.
func (r mutationResolver) ConvertFile(ctx context.Context, resourceKey string, to model.ConversionTarget) (*model.Job, error) {
	file, err := r.ownedFile(ctx, resourceKey)
	if err != nil {
		return nil, err
	}
	if err := file.CheckConversion(to); err != nil {
		return nil, err
	}
	var job *model.Job
	err = r.DB.InTx(ctx, func(tx *db.DB) (err error) {
		// The row's lock makes two requests at once one after the other.
		if file, err = tx.LockFile(ctx, file.UserID, resourceKey); err != nil {
			return err
		}
		if job, err = tx.ConversionOf(ctx, resourceKey, to); err != nil || job != nil {
			return err
		}
		job, err = startConversion(ctx, tx, file, to)
		return err
	})
	if err != nil {
		return nil, err
	}
	return job, nil
}

// startConversion hands the file to a worker. How much the result takes is known
// when it is there: the worker asks for its storage.
func startConversion(ctx context.Context, tx *db.DB, file *model.File, to model.ConversionTarget) (*model.Job, error) {
	upload, job := model.NewConversion(file, to)
	if err := tx.AddUpload(ctx, upload); err != nil {
		return nil, err
	}
	if err := tx.AddJob(ctx, job); err != nil {
		return nil, err
	}
	return job, tx.Enqueue(ctx, job.ID, model.RequestID(ctx))
}
