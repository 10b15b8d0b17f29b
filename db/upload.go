package db

import (
	"context"
	"time"

	"portico/model"
)

// AddUpload stores a new upload.
func (db *DB) AddUpload(ctx context.Context, upload *model.Upload) error {
	_, err := db.idb.NewInsert().Model(upload).Exec(ctx)
	return translate(err)
}

// Upload returns the upload with this id.
func (db *DB) Upload(ctx context.Context, id string) (*model.Upload, error) {
	upload := new(model.Upload)
	err := db.idb.NewSelect().Model(upload).Where("id = ?", id).Scan(ctx)
	return upload, one(err, model.UploadNotFound)
}

// UploadOf returns the user's upload with this resource key, and tells whether its
// promise has expired.
func (db *DB) UploadOf(ctx context.Context, userID, resourceKey string) (*model.Upload, error) {
	upload := new(model.Upload)
	err := db.idb.NewSelect().Model(upload).
		ColumnExpr("?TableColumns, expires_at <= now() AND coalesce(held_until <= now(), true) AS expired").
		Where("resource_key = ? AND user_id = ?", resourceKey, userID).Scan(ctx)
	return upload, one(err, model.UploadNotFound)
}

// MoveUpload takes the upload from one state to another and reports whether it
// was in the first: of two that try, one wins.
func (db *DB) MoveUpload(ctx context.Context, id string, from, to model.UploadState) (bool, error) {
	return changed(db.idb.NewUpdate().Model((*model.Upload)(nil)).
		Set("state = ?", to).Where("id = ? AND state = ?", id, from).Exec(ctx))
}

// StartUpload takes a pending upload to processing by the job, and reports
// whether it was pending.
func (db *DB) StartUpload(ctx context.Context, id, jobID string) (bool, error) {
	return changed(db.idb.NewUpdate().Model((*model.Upload)(nil)).
		Set("state = ?", model.UploadProcessing).Set("job_id = ?", jobID).
		Where("id = ? AND state = ?", id, model.UploadPending).Exec(ctx))
}

// DiscardExpired gives up to limit pending uploads up whose URL expired before
// the moment, writes their objects down for removal, and returns how many.
func (db *DB) DiscardExpired(ctx context.Context, before time.Time, limit int) (int, error) {
	var keys []string
	err := db.idb.NewRaw(`
		WITH expired AS (
			SELECT id FROM uploads WHERE state = 'pending' AND expires_at < ?
			ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED
		), discarded AS (
			UPDATE uploads SET state = 'discarded' WHERE id IN (SELECT id FROM expired)
			RETURNING user_id || '/' || resource_key AS key, user_id, CASE WHEN held_until > now() THEN size ELSE 0 END AS bytes
		)
		INSERT INTO removals (key, due_at, user_id, bytes) SELECT key, now(), user_id, bytes FROM discarded
		ON CONFLICT (key) DO UPDATE SET due_at = EXCLUDED.due_at, user_id = EXCLUDED.user_id, bytes = EXCLUDED.bytes
		RETURNING key`,
		before, limit).Scan(ctx, &keys)
	return len(keys), translate(err)
}

// ForgetUploads deletes up to limit uploads of which nothing is kept, whose URL
// expired before the moment, and returns how many. One that a job still tells of
// waits for the job.
func (db *DB) ForgetUploads(ctx context.Context, before time.Time, limit int) (int, error) {
	result, err := db.idb.ExecContext(ctx, `
		DELETE FROM uploads WHERE id IN (
			SELECT id FROM uploads AS u
			WHERE state IN ('discarded', 'failed') AND expires_at < ?
				AND NOT EXISTS (SELECT 1 FROM jobs WHERE upload_id = u.id)
				AND NOT EXISTS (SELECT 1 FROM files WHERE upload_id = u.id)
			ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED)`, before, limit)
	if err != nil {
		return 0, translate(err)
	}
	n, err := result.RowsAffected()
	return int(n), err
}
