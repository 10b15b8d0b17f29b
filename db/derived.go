package db

import (
	"context"

	"github.com/uptrace/bun"

	"portico/model"
)

// FileToPrepare returns the file of any user; nil when it was deleted.
func (db *DB) FileToPrepare(ctx context.Context, resourceKey string) (*model.File, error) {
	var rows []*model.File
	err := db.idb.NewSelect().Model(&rows).Where("resource_key = ?", resourceKey).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, translate(err)
	}
	return rows[0], nil
}

// SetFacts stores the facts of a file unless it was deleted. For a damaged file it also
// updates the message of the job that stored it.
func (db *DB) SetFacts(ctx context.Context, resourceKey string, facts *model.FileFacts) error {
	return db.InTx(ctx, func(tx *DB) error {
		var files []*model.File
		err := tx.idb.NewUpdate().Model((*model.File)(nil)).Set("facts = ?", facts).
			Where("resource_key = ?", resourceKey).Returning("*").Scan(ctx, &files)
		if err != nil || len(files) == 0 {
			return translate(err)
		}
		if files[0].Warning() != nil {
			if err := tx.warnInJob(ctx, files[0]); err != nil {
				return err
			}
		}
		return tx.announceFile(ctx, files[0].UserID, files[0].UploadID)
	})
}

// warnInJob writes the warning of a file into the message of the job that stored it, if
// the job is still there.
func (db *DB) warnInJob(ctx context.Context, file *model.File) error {
	var jobs []*model.Job
	err := db.idb.NewRaw(`
		UPDATE jobs SET message = ?, updated_at = greatest(now(), ?)
		WHERE upload_id = ? AND status = 'completed' AND message <> ? RETURNING *`,
		file.CompletedMessage(), model.Now(), file.UploadID, file.CompletedMessage()).Scan(ctx, &jobs)
	for _, job := range jobs {
		db.Announce(JobTopic(job.ID), JobsTopic(job.UserID))
	}
	return translate(err)
}

// AddPoster stores the key and the size of the file's poster and reports whether it did.
// It does not when the file was deleted or has a poster, or when its owner has not enough
// storage left.
func (db *DB) AddPoster(ctx context.Context, file *model.File, key string, bytes int64) (bool, error) {
	return db.addDerived(ctx, file, "poster_key", key, bytes, nil)
}

// AddView is AddPoster for a view; key names its first object.
func (db *DB) AddView(ctx context.Context, file *model.File, key string, bytes int64) (bool, error) {
	return db.addDerived(ctx, file, "view_key", key, bytes, nil)
}

// AddCollision is AddView for a collision, with the start that was found for it.
func (db *DB) AddCollision(ctx context.Context, file *model.File, key string, bytes int64, start *model.Start) (bool, error) {
	return db.addDerived(ctx, file, "collision_key", key, bytes, start)
}

// addDerived stores the key of one more derived object. It keeps the start if start is nil.
func (db *DB) addDerived(ctx context.Context, file *model.File, column, key string, bytes int64, start *model.Start) (added bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		account, err := tx.LockStorage(ctx, file.UserID)
		if model.CodeOf(err) == model.CodeNotFound {
			return nil // deleted with its owner
		}
		if err != nil || account.Free() < bytes {
			return err
		}
		added, err = changed(tx.idb.NewUpdate().Model((*model.File)(nil)).
			Set("? = ?", bun.Ident(column), key).Set("start = coalesce(?::jsonb, start)", start).Set("derived_bytes = derived_bytes + ?", bytes).
			Where("resource_key = ? AND ? IS NULL", file.ResourceKey, bun.Ident(column)).Exec(ctx))
		if err != nil || !added {
			return err
		}
		return tx.announceFile(ctx, file.UserID, file.UploadID)
	})
	return added, err
}
