package db

import (
	"context"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// maxJobs is the maximum length of the list of a user's jobs: more than the rate limits allow in
// the hour for which, by default, an ended job is listed. Only an outage can leave more.
const maxJobs = 2000

// AddJob inserts a job and announces it to its owner. A second job of an upload, and a second
// unfinished job for the same conversion, violate a unique index, which is an internal error. The
// callers lock the upload or the file and prevent it.
func (db Jobs) AddJob(ctx context.Context, job *model.Job) error {
	_, err := db.idb.NewInsert().Model(job).Exec(ctx)
	if err == nil {
		db.Announce(JobsTopic(job.UserID))
	}
	return translate(err)
}

// Job returns the job with this id. It is the row for every caller: package graph checks the owner.
func (db Jobs) Job(ctx context.Context, id string) (*model.Job, error) {
	job := new(model.Job)
	err := db.idb.NewSelect().Model(job).Where("id = ?", id).Scan(ctx)
	return job, translateNotFound(err, model.JobNotFound)
}

// RecentJobsOf returns the user's jobs that run, wait, or ended less than the age ago, newest
// first. An age of 0 means no limit.
//
// The index is jobs_by_user.
func (db Jobs) RecentJobsOf(ctx context.Context, userID string, age time.Duration) ([]*model.Job, error) {
	jobs := []*model.Job{}
	query := db.idb.NewSelect().Model(&jobs).Where(belongsTo("?"), userID)
	if age > 0 {
		query.Where("ended_at IS NULL OR ended_at > now() - ? * interval '1 second'", age.Seconds())
	}
	err := query.Order("created_at DESC", "id DESC").Limit(maxJobs).Scan(ctx)
	return jobs, translate(err)
}

// Jobs returns a page of the user's jobs that pass the filter, newest first.
func (db Jobs) Jobs(ctx context.Context, userID string, filter model.JobFilter, page model.Page) (*model.JobConnection, error) {
	owned := listing{table: "jobs", newest: true, where: belongsTo("?"), args: []any{userID}}
	if len(filter.Status) > 0 {
		owned.addCondition("status = ANY(?::text[])", pgdialect.Array(filter.Status))
	}
	jobs, err := list[model.Job](ctx, db.DB, owned, page)
	return (*model.JobConnection)(jobs), err
}

// runningFileJob returns the unfinished job that does the same with the same file; nil when there is
// none.
//
// The index jobs_of_files finds it by the source, and makes it unique.
func (db Jobs) runningFileJob(ctx context.Context, job *model.Job) (*model.Job, error) {
	var rows []*model.Job
	err := db.idb.NewSelect().Model(&rows).
		Where("source_key = ? AND coalesce(convert_to, '') = ?", job.SourceKey, job.ConvertTo).
		Where("coalesce(edits, '') = ? AND coalesce(capture, '') = ?", job.Edits, job.Capture).
		Where("replacement IS NOT DISTINCT FROM ?::jsonb", job.Replacement).
		Where("status IN ('queued', 'processing')").Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, translate(err)
	}
	return rows[0], nil
}

// ClaimJob starts an attempt at an unfinished job and returns the job; nil when the job
// has ended.
//
// The life of a job, each arrow one statement that checks the state and the attempt.
// TestJob_in_each_state_after_each_act has every arrow, and what is refused:
//
//	queued       ClaimJob         processing, attempt + 1, counted attempts + 1
//	processing   ClaimJob         processing again: the worker of the attempt before has died
//	processing   ReportJob        processing, with progress
//	processing   RequeueJob       queued, counted attempts - 1: a stop of the worker, or an outage
//	processing   CompleteJob      completed, in the transaction that stores the file
//	queued       FailJob          failed: canceled before a worker claimed it
//	processing   FailJob          failed: canceled, refused, or out of attempts
//
// Attempts are numbered so that a worker that lost its job, while it was paused or cut off, changes
// nothing: its statements name an attempt that is no longer the current one. CountedAttempts, in the
// column tries, is compared with JobAttempts. It counts only attempts that the job itself may have
// caused to fail.
func (db Jobs) ClaimJob(ctx context.Context, id string) (*model.Job, error) {
	return db.changeJob(ctx, id, `
		UPDATE jobs SET status = 'processing', message = ?, attempt = attempt + 1, tries = tries + 1,
			started_at = now(), updated_at = ?
		WHERE id = ? AND status IN ('queued', 'processing') RETURNING *`, model.JobStartedMessage, model.Now(), id)
}

// RequeueJob queues the job again without counting the attempt, because its process stops or a
// service that it needs is down. It reports whether the attempt was still the current one.
func (db Jobs) RequeueJob(ctx context.Context, id string, attempt int) (bool, error) {
	job, err := db.changeJob(ctx, id, `
		UPDATE jobs SET status = 'queued', message = ?, tries = tries - 1, updated_at = ?
		WHERE id = ? AND attempt = ? AND status = 'processing' RETURNING *`,
		model.JobQueuedMessage, model.Now(), id, attempt)
	return job != nil, err
}

// ReportJob stores the progress and the step of an attempt and reports whether the attempt is still
// the current one; otherwise its worker must stop. Progress never decreases, not even when
// the database dies after somebody has seen it, and stays below 100 until the end.
func (db Jobs) ReportJob(ctx context.Context, id string, attempt int, progress float64, step model.JobStep) (bool, error) {
	const maxProgress = 99.9
	job, err := db.changeJob(ctx, id, `
		UPDATE jobs SET progress = greatest(progress, least(?, ?)), message = ?, updated_at = ?,
			step_name = ?, step_done = ?, step_total = ?, step_attempt = attempt
		WHERE id = ? AND attempt = ? AND status = 'processing' RETURNING *`,
		progress, maxProgress, step.Message(), model.Now(), step.Name, step.Done, step.Total, id, attempt)
	return job != nil, err
}

// CompleteJob completes the job and reports whether the attempt was still the current
// one. Call it in the transaction that stores the result. The time of the end is the
// later of two clocks, see EarlierClock.
func (db Jobs) CompleteJob(ctx context.Context, id string, attempt int, resultKey, message string) (bool, error) {
	now := model.Now()
	job, err := db.endJob(ctx, id, `
		UPDATE jobs SET status = 'completed', progress = 100, message = ?, result_key = ?,
			updated_at = greatest(now(), ?), ended_at = greatest(now(), ?)
		WHERE id = ? AND attempt = ? AND status = 'processing' RETURNING *`,
		message, resultKey, now, now, id, attempt)
	return job != nil, err
}

// FailJob fails an unfinished job and returns it; nil if it had ended. The user sees the reason.
// Attempt 0 means a cancellation, whichever attempt runs. Another attempt fails nothing if it is
// not the current one, or has handed the job back.
func (db Jobs) FailJob(ctx context.Context, id string, attempt int, reason string) (*model.Job, error) {
	now := model.Now()
	return db.endJob(ctx, id, `
		UPDATE jobs SET status = 'failed', message = ?, error = ?,
			updated_at = greatest(now(), ?), ended_at = greatest(now(), ?)
		WHERE id = ? AND (status = 'processing' AND attempt = ? OR ? = 0 AND status IN ('queued', 'processing')) RETURNING *`,
		model.JobFailedMessage, reason, now, now, id, attempt, attempt)
}

// changeJob runs an UPDATE ... RETURNING * of one job and announces it. It returns nil
// when no row was changed.
func (db Jobs) changeJob(ctx context.Context, id, query string, args ...any) (*model.Job, error) {
	var rows []*model.Job
	if err := db.idb.NewRaw(query, args...).Scan(ctx, &rows); err != nil || len(rows) == 0 {
		return nil, translate(err)
	}
	db.Announce(JobTopic(id), JobsTopic(rows[0].UserID))
	return rows[0], nil
}

// endJob is changeJob for an UPDATE that ends a job. It adds the event for webhooks in the same
// transaction.
func (db Jobs) endJob(ctx context.Context, id, query string, args ...any) (job *model.Job, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		job, err = tx.Jobs().changeJob(ctx, id, query, args...)
		if err != nil || job == nil {
			return err
		}
		return tx.Webhooks().addJobEvent(ctx, job)
	})
	return job, err
}

// PurgeJobs deletes up to limit jobs that ended before the moment and returns
// how many.
//
// SKIP LOCKED lets the replicas purge at the same time: each deletes different rows. The index
// jobs_ended finds the oldest ones.
func (db Jobs) PurgeJobs(ctx context.Context, before time.Time, limit int) (int, error) {
	result, err := db.idb.ExecContext(ctx, `
		DELETE FROM jobs WHERE id IN (
			SELECT id FROM jobs WHERE ended_at < ? ORDER BY ended_at LIMIT ? FOR UPDATE SKIP LOCKED)`,
		before, limit)
	if err != nil {
		return 0, translate(err)
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// FailJobAndUpload is FailJob, and also fails the upload and schedules the removal of its bytes and
// of the objects derived from them. Call it in a transaction.
//
// The keys in the store are kept as removals, so the objects are deleted even if the caller dies
// after the commit.
func (db Jobs) FailJobAndUpload(ctx context.Context, id string, attempt int, reason string) (*model.Job, error) {
	if err := db.Accounts().preventUserDeletion(ctx, "SELECT user_id FROM jobs WHERE id = ?", id); err != nil {
		return nil, err
	}
	job, err := db.FailJob(ctx, id, attempt, reason)
	if err != nil || job == nil {
		return nil, err
	}
	upload, err := db.Uploads().Upload(ctx, job.UploadID)
	if err != nil {
		return nil, err
	}
	if _, err := db.Uploads().MoveUpload(ctx, upload.ID, model.UploadProcessing, model.UploadFailed); err != nil {
		return nil, err
	}
	if err := db.Files().AddRemoval(ctx, RemovalOf(upload)); err != nil {
		return nil, err
	}
	if _, err := db.Files().SweepResults(ctx, job, upload.StorageRoot()); err != nil {
		return nil, err
	}
	// A worker that has lost the job notices within a second or so.
	return job, db.Files().ScheduleRemovals(ctx, time.Now().Add(time.Minute),
		upload.StorageRoot(), model.NewFile(upload).DerivedStorageRoot())
}

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
func (db Jobs) OperatedJobs(ctx context.Context, filter model.JobFilter, page model.Page) (*model.OperatedJobConnection, error) {
	rows := listing{table: operatedJobs, newest: true, where: "TRUE"}
	if len(filter.Status) > 0 {
		rows.addCondition("status = ANY(?::text[])", pgdialect.Array(filter.Status))
	}
	jobs, err := list[model.OperatedJob](ctx, db.DB, rows, page)
	return (*model.OperatedJobConnection)(jobs), err
}

// OperatedJob returns the job with this id, of any account, or model.JobNotFound.
func (db Jobs) OperatedJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	job := new(model.OperatedJob)
	err := db.idb.NewRaw("SELECT * FROM "+operatedJobs+" WHERE id = ?", id).Scan(ctx, job)
	return job, translateNotFound(err, model.JobNotFound)
}

// RetryJob starts a failed job about a file again, for an operator, and returns the new job.
//
// The first read refuses most requests before the lock. The job that is retried stays failed, and
// the new one has its own upload.
func (db Jobs) RetryJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	failed, err := db.OperatedJob(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := failed.RetryRefusal(); err != nil {
		return nil, err
	}
	var started *model.OperatedJob
	err = db.InTx(ctx, func(tx *DB) error {
		file, err := tx.Files().LockFile(ctx, failed.UserID, failed.SourceKey)
		if err != nil {
			return err
		}
		// Before the lock, another request may have started the job again.
		if failed, err = tx.Jobs().OperatedJob(ctx, id); err != nil {
			return err
		}
		if err := failed.RetryRefusal(); err != nil {
			return err
		}
		upload, again := failed.Again(file)
		job, err := tx.Files().StartFileJob(ctx, upload, again)
		if err != nil {
			return err
		}
		if err := tx.Audit().record(ctx, model.EventJobRetried, job.UserID, id, file.Name); err != nil {
			return err
		}
		started, err = tx.Jobs().OperatedJob(ctx, job.ID)
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
func (db Jobs) CancelAnyJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	var canceled *model.OperatedJob
	err := db.InTx(ctx, func(tx *DB) error {
		if _, err := tx.Jobs().OperatedJob(ctx, id); err != nil {
			return err
		}
		job, err := tx.Jobs().FailJobAndUpload(ctx, id, 0, model.JobCanceled)
		if err != nil {
			return err
		}
		if job == nil {
			return model.JobHasEnded()
		}
		if err := tx.Audit().record(ctx, model.EventJobCanceled, job.UserID, id, ""); err != nil {
			return err
		}
		canceled, err = tx.Jobs().OperatedJob(ctx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return canceled, nil
}
