package db

import (
	"context"

	"portico/model"
)

// StartConversion enqueues the conversion of the file, unless it is under way, and returns its
// job. The file must be locked. The worker reserves storage for the result, because its size is
// unknown until then.
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

// RetryJob starts a failed conversion again, for an operator, and returns the new job.
func (db *DB) RetryJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	failed, err := db.OperatedJob(ctx, id)
	if err != nil {
		return nil, err
	}
	if !failed.CanRetry() {
		return nil, model.Invalidf("jobId: only a failed conversion can start again. The bytes of a failed upload are deleted: " +
			"its owner uploads it again").On("jobId").WithReason(model.ReasonEnded)
	}
	var started *model.OperatedJob
	err = db.InTx(ctx, func(tx *DB) error {
		file, err := tx.LockFile(ctx, failed.UserID, failed.SourceKey)
		if err != nil {
			return err
		}
		job, err := tx.StartConversion(ctx, file, failed.ConvertTo, failed.Edits)
		if err != nil {
			return err
		}
		if err := tx.record(ctx, model.EventJobRetried, job.UserID, id, file.Name); err != nil {
			return err
		}
		started, err = tx.OperatedJob(ctx, job.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return started, nil
}

// StopJob cancels a job of any account, for an operator, and returns it.
func (db *DB) StopJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	var stopped *model.OperatedJob
	err := db.InTx(ctx, func(tx *DB) error {
		if _, err := tx.OperatedJob(ctx, id); err != nil {
			return err
		}
		job, err := tx.GiveUpJob(ctx, id, 0, model.JobCanceled)
		if err != nil {
			return err
		}
		if job == nil {
			return model.JobHasEnded()
		}
		if err := tx.record(ctx, model.EventJobCanceled, job.UserID, id, ""); err != nil {
			return err
		}
		stopped, err = tx.OperatedJob(ctx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return stopped, nil
}
