package db

import (
	"context"

	"github.com/uptrace/bun"

	"portico/model"
)

// FileToPrepare returns the file, whoever's it is; nil where it was deleted.
func (db *DB) FileToPrepare(ctx context.Context, resourceKey string) (*model.File, error) {
	var rows []*model.File
	err := db.idb.NewSelect().Model(&rows).Where("resource_key = ?", resourceKey).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, translate(err)
	}
	return rows[0], nil
}

// SetFacts stores what was found in a file, if it is still there. Where the file is
// found to be damaged, the message of the job that made it says so from then on.
func (db *DB) SetFacts(ctx context.Context, resourceKey string, facts *model.FileFacts) error {
	return db.InTx(ctx, func(tx *DB) error {
		var files []*model.File
		err := tx.idb.NewUpdate().Model((*model.File)(nil)).Set("facts = ?", facts).
			Where("resource_key = ?", resourceKey).Returning("*").Scan(ctx, &files)
		if err != nil || len(files) == 0 || files[0].Warning() == nil {
			return translate(err)
		}
		return tx.warnInJob(ctx, files[0])
	})
}

// warnInJob puts the warning of a file into the message of its job, which has ended
// with it and may be forgotten by now.
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

// AddPoster gives the file its poster, of so many bytes, and reports whether it
// took it: it does not where it was deleted, has one, or where its owner has no
// storage left for it.
func (db *DB) AddPoster(ctx context.Context, file *model.File, key string, bytes int64) (bool, error) {
	return db.addDerived(ctx, file, "poster_key", key, bytes)
}

// AddView is AddPoster for a view; key names its first object.
func (db *DB) AddView(ctx context.Context, file *model.File, key string, bytes int64) (bool, error) {
	return db.addDerived(ctx, file, "view_key", key, bytes)
}

func (db *DB) addDerived(ctx context.Context, file *model.File, column, key string, bytes int64) (added bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		account, err := tx.LockStorage(ctx, file.UserID)
		if model.CodeOf(err) == model.CodeNotFound {
			return nil // deleted with its owner
		}
		if err != nil || account.Free() < bytes {
			return err
		}
		added, err = changed(tx.idb.NewUpdate().Model((*model.File)(nil)).
			Set("? = ?", bun.Ident(column), key).Set("derived_bytes = derived_bytes + ?", bytes).
			Where("resource_key = ? AND ? IS NULL", file.ResourceKey, bun.Ident(column)).Exec(ctx))
		return err
	})
	return added, err
}
