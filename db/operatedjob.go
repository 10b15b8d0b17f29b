package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// operatedJobs selects what operators see of jobs.
//
// repeated means that a newer job of the same file does the same conversion, so another retry would
// change nothing. jobs_by_sequence finds the newer jobs of the account.
const operatedJobs = `(
	SELECT j.*, u.email AS owner_email,
		j.status = 'failed' AND EXISTS (
			SELECT FROM jobs AS newer
			WHERE newer.user_id = j.user_id AND newer.sequence > j.sequence AND newer.source_key = j.source_key
				AND newer.convert_to IS NOT DISTINCT FROM j.convert_to AND coalesce(newer.edits, '') = coalesce(j.edits, '')
				AND newer.capture IS NOT DISTINCT FROM j.capture
		) AS repeated
	FROM jobs AS j JOIN users AS u ON u.id = j.user_id
) AS jobs`

// OperatedJobs returns a page of the jobs of all accounts that pass the filter, newest first.
func (db *DB) OperatedJobs(ctx context.Context, filter model.JobFilter, page model.Page) (*model.OperatedJobConnection, error) {
	rows := listing{table: operatedJobs, newest: true, where: "TRUE"}
	if len(filter.Status) > 0 {
		rows.addCondition("status = ANY(?::text[])", pgdialect.Array(filter.Status))
	}
	jobs, err := list[model.OperatedJob](ctx, db, rows, page)
	return (*model.OperatedJobConnection)(jobs), err
}

// OperatedJob returns the job with this id, of any account, or model.JobNotFound.
func (db *DB) OperatedJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	job := new(model.OperatedJob)
	err := db.idb.NewRaw("SELECT * FROM "+operatedJobs+" WHERE id = ?", id).Scan(ctx, job)
	return job, translateNotFound(err, model.JobNotFound)
}

// RetryJob starts a failed job about a file again, for an operator, and returns the new job.
//
// The first read refuses most requests before the lock. The job that is retried stays failed, and
// the new one has its own upload.
func (db *DB) RetryJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	failed, err := db.OperatedJob(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := failed.RetryRefusal(); err != nil {
		return nil, err
	}
	var started *model.OperatedJob
	err = db.InTx(ctx, func(tx *DB) error {
		file, err := tx.LockFile(ctx, failed.UserID, failed.SourceKey)
		if err != nil {
			return err
		}
		// Before the lock, another request may have started the job again.
		if failed, err = tx.OperatedJob(ctx, id); err != nil {
			return err
		}
		if err := failed.RetryRefusal(); err != nil {
			return err
		}
		upload, again := failed.Again(file)
		job, err := tx.StartFileJob(ctx, upload, again)
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

// CancelAnyJob cancels a job of any account, for an operator, and returns it.
//
// The worker of the job notices at its next report, within a second.
func (db *DB) CancelAnyJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	var canceled *model.OperatedJob
	err := db.InTx(ctx, func(tx *DB) error {
		if _, err := tx.OperatedJob(ctx, id); err != nil {
			return err
		}
		job, err := tx.FailJobAndUpload(ctx, id, 0, model.JobCanceled)
		if err != nil {
			return err
		}
		if job == nil {
			return model.JobHasEnded()
		}
		if err := tx.record(ctx, model.EventJobCanceled, job.UserID, id, ""); err != nil {
			return err
		}
		canceled, err = tx.OperatedJob(ctx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return canceled, nil
}
