package db

import (
	"context"

	"portico/model"
)

// FailedFiles returns up to limit files of all accounts with steps of the preparation that were
// given up, newest first.
//
// It scans the files: only operators call it, and few files fail.
func (db *DB) FailedFiles(ctx context.Context, limit int) ([]*model.FailedFile, error) {
	found := []*model.FailedFile{}
	err := db.idb.NewSelect().Table("files").Column("resource_key", "name", "size", "user_id", "failures").
		Where("failures IS NOT NULL AND failures <> '{}'").Order("created_at DESC", "sequence DESC").Limit(int64(limit)).Scan(ctx, &found)
	return found, translate(err)
}

// RetryFile tries again what was given up of the preparation of a file, and reports whether
// anything was.
//
// The lock on the row makes two operators start the steps once: the second finds no failures. The
// jobs are enqueued in the same transaction, so a crash leaves the failures as they were.
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
			return translateNotFound(err, model.FileNotFound)
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
