package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// operatedJobs selects what operators see of jobs.
const operatedJobs = "(SELECT j.*, u.email AS owner_email FROM jobs AS j JOIN users AS u ON u.id = j.user_id) AS jobs"

// OperatedJobs returns a page of the jobs of all accounts that pass the filter, newest first.
func (db *DB) OperatedJobs(ctx context.Context, filter model.JobFilter, page model.Page) (*model.OperatedJobConnection, error) {
	all := listing{table: operatedJobs, newest: true, where: "TRUE"}
	if len(filter.Status) > 0 {
		all.filter("status = ANY(?::text[])", pgdialect.Array(filter.Status))
	}
	jobs, err := list[model.OperatedJob](ctx, db, all, page)
	return (*model.OperatedJobConnection)(jobs), err
}

// OperatedJob returns the job with this id, of any account.
func (db *DB) OperatedJob(ctx context.Context, id string) (*model.OperatedJob, error) {
	job := new(model.OperatedJob)
	err := db.idb.NewRaw("SELECT * FROM "+operatedJobs+" WHERE id = ?", id).Scan(ctx, job)
	return job, oneRow(err, model.JobNotFound)
}

// FailedFiles returns up to limit files of all accounts of which parts of the preparation were
// given up, newest first.
func (db *DB) FailedFiles(ctx context.Context, limit int) ([]*model.FailedFile, error) {
	found := []*model.FailedFile{}
	err := db.idb.NewSelect().Table("files").Column("resource_key", "name", "size", "user_id", "failures").
		Where("failures IS NOT NULL AND failures <> '{}'").Order("created_at DESC", "sequence DESC").Limit(int64(limit)).Scan(ctx, &found)
	return found, translate(err)
}

// RetryFile tries again what was given up of the preparation of a file, and reports whether
// anything was.
func (db *DB) RetryFile(ctx context.Context, resourceKey string) (bool, error) {
	started := false
	err := db.InTx(ctx, func(tx *DB) error {
		var row struct {
			UserID, UploadID string
			Failures         model.Failures `bun:"type:jsonb"`
		}
		err := tx.idb.NewRaw("SELECT user_id, upload_id, failures FROM files WHERE resource_key = ? FOR NO KEY UPDATE", resourceKey).
			Scan(ctx, &row)
		if err != nil || len(row.Failures) == 0 {
			return oneRow(err, model.FileNotFound)
		}
		started = true
		if _, err := tx.idb.ExecContext(ctx, "UPDATE files SET failures = NULL WHERE resource_key = ?", resourceKey); err != nil {
			return translate(err)
		}
		for step := range row.Failures {
			enqueue := tx.EnqueuePreparation
			switch step {
			case model.StepView:
				enqueue = tx.EnqueueView
			case model.StepCollision:
				enqueue = tx.EnqueueCollision
			}
			if err := enqueue(ctx, resourceKey); err != nil {
				return err
			}
		}
		if err := tx.record(ctx, model.EventJobRetried, row.UserID, resourceKey, ""); err != nil {
			return err
		}
		return tx.announceFile(ctx, row.UserID, row.UploadID)
	})
	return started, err
}

// auditEntries selects what operators see of the audit trail.
const auditEntries = `(SELECT e.*, coalesce(u.email, '') AS user_email, coalesce(a.email, '') AS actor_email FROM audit_events AS e
	LEFT JOIN users AS u ON u.id = e.user_id LEFT JOIN users AS a ON a.id = e.actor_id) AS entries`

// AuditEntries returns a page of the events that are selected, newest first.
func (db *DB) AuditEntries(ctx context.Context, of model.AuditSelection, page model.Page) (*model.AuditEntryConnection, error) {
	all := listing{table: auditEntries, newest: true, where: "TRUE"}
	if of.Account != "" {
		all.filter("(user_id = ? OR actor_id = ?)", of.Account, of.Account)
	}
	if len(of.Types) > 0 {
		all.filter("type = ANY(?::text[])", pgdialect.Array(of.Types))
	}
	found, err := list[model.AuditEntry](ctx, db, all, page)
	return (*model.AuditEntryConnection)(found), err
}
