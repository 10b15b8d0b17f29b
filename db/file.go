package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// AddFile inserts a file and announces it to its owner. A second file of an upload violates
// files_upload_key, which is an internal error. StoreFile prevents it.
func (db *DB) AddFile(ctx context.Context, file *model.File) error {
	_, err := db.idb.NewInsert().Model(file).Exec(ctx)
	if err == nil {
		db.Announce(FilesTopic(file.UserID))
	}
	return translate(err)
}

// StoreFile stores the file of an upload, moves the upload from the state to confirmed
// and enqueues the preparation of the file. It reports whether the upload was in that
// state: of two requests that store the file of one upload, one does. Call it in a
// transaction.
//
// The upload is moved first, because that statement decides which of two requests goes on. The
// other one adds no file and no job.
func (db *DB) StoreFile(ctx context.Context, file *model.File, from model.UploadState) (bool, error) {
	moved, err := db.MoveUpload(ctx, file.UploadID, from, model.UploadConfirmed)
	if err != nil || !moved {
		return false, err
	}
	if err := db.AddFile(ctx, file); err != nil {
		return false, err
	}
	return true, db.EnqueuePreparation(ctx, file.ResourceKey)
}

// FileOf returns the user's file with this resource key, or model.FileNotFound.
func (db *DB) FileOf(ctx context.Context, userID, resourceKey string) (*model.File, error) {
	file := new(model.File)
	err := db.idb.NewSelect().Model(file).
		Where("resource_key = ? AND "+belongsTo("?"), resourceKey, userID).Scan(ctx)
	return file, translateNotFound(err, model.FileNotFound)
}

// AnyFile returns the file with this resource key, of any user; nil if there is none, such as a
// deleted one.
func (db *DB) AnyFile(ctx context.Context, resourceKey string) (*model.File, error) {
	var rows []*model.File
	err := db.idb.NewSelect().Model(&rows).Where("resource_key = ?", resourceKey).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, translate(err)
	}
	return rows[0], nil
}

// FilesByKey returns the files with these resource keys that exist, by key. It asks for no owner:
// the caller drops the files of other accounts.
func (db *DB) FilesByKey(ctx context.Context, keys []string) (map[string]*model.File, error) {
	var found []*model.File
	err := db.idb.NewSelect().Model(&found).Where("resource_key = ANY(?::text[])", pgdialect.Array(keys)).Scan(ctx)
	files := make(map[string]*model.File, len(found))
	for _, file := range found {
		files[file.ResourceKey] = file
	}
	return files, translate(err)
}

// LockFile is FileOf that locks the row: no other transaction changes or deletes the file
// until this one ends.
//
// A worker that adds a derived object, and a request that deletes or converts the file, lock it.
// Readers do not wait.
func (db *DB) LockFile(ctx context.Context, userID, resourceKey string) (*model.File, error) {
	file := new(model.File)
	err := db.idb.NewSelect().Model(file).
		Where("resource_key = ? AND "+belongsTo("?"), resourceKey, userID).For("NO KEY UPDATE").Scan(ctx)
	return file, translateNotFound(err, model.FileNotFound)
}

// SetOwnStart stores the viewpoint that the owner of a file chose, or none for nil, has its
// posters drawn again, and returns the file.
//
// An unchanged viewpoint enqueues nothing: the file has posters of it already.
func (db *DB) SetOwnStart(ctx context.Context, userID, resourceKey string, viewpoint *model.Viewpoint) (*model.File, error) {
	file := new(model.File)
	err := db.InTx(ctx, func(tx *DB) error {
		err := tx.idb.NewUpdate().Model((*model.File)(nil)).Set("own_start = ?::jsonb", viewpoint).
			Where("resource_key = ? AND "+belongsTo("?"), resourceKey, userID).Returning("*").Scan(ctx, file)
		if err != nil {
			return translateNotFound(err, model.FileNotFound)
		}
		if err := tx.enqueuePosters(ctx, file); err != nil {
			return err
		}
		return tx.announceFile(ctx, file.UserID, file.UploadID)
	})
	return file, err
}

// FileOfUpload returns the file that was stored for the upload. Until then, and after the file was
// deleted, it returns model.FileNotFound.
func (db *DB) FileOfUpload(ctx context.Context, uploadID string) (*model.File, error) {
	file := new(model.File)
	err := db.idb.NewSelect().Model(file).Where("upload_id = ?", uploadID).Scan(ctx)
	return file, translateNotFound(err, model.FileNotFound)
}

// Files returns a page of the user's files that pass the filter, newest first.
//
// Every order of a page has an index that begins with the account: files_by_user, files_by_name and
// files_by_size.
func (db *DB) Files(ctx context.Context, userID string, filter model.FileFilter, page model.Page) (*model.FileConnection, error) {
	owned := listing{
		table: "files", newest: true, where: belongsTo("?"), args: []any{userID},
		total: keptTotal("? || ' files'"), totalArgs: []any{userID}, bounded: true,
	}
	if len(filter.Format) > 0 {
		owned.addCondition("facts->>'format' = ANY(?::text[])", pgdialect.Array(filter.Format))
	}
	files, err := list[model.File](ctx, db, owned, page)
	return (*model.FileConnection)(files), err
}

// DeleteFile deletes the file's row and returns it as it was then. It returns nil if there is no
// such row: of two requests that delete the file, one gets it.
//
// The caller discards the upload and records the removal of the objects in the same transaction.
// Space files that refer to the file are deleted by their foreign key.
func (db *DB) DeleteFile(ctx context.Context, resourceKey string) (*model.File, error) {
	var files []*model.File
	err := db.InTx(ctx, func(tx *DB) error {
		if err := tx.lockFileWithSpaces(ctx, resourceKey); err != nil {
			return err
		}
		err := tx.idb.NewDelete().Model((*model.File)(nil)).
			Where("resource_key = ?", resourceKey).Returning("*").Scan(ctx, &files)
		if err != nil || len(files) == 0 {
			return translate(err)
		}
		return tx.announceFile(ctx, files[0].UserID, files[0].UploadID)
	})
	if err != nil || len(files) == 0 {
		return nil, err
	}
	return files[0], nil
}

// lockFileWithSpaces locks the spaces whose files refer to the file, its account and the file, in
// the order of DeleteUser. Afterwards no other space can refer to the file, because the foreign key
// of a space file waits for the lock.
func (db *DB) lockFileWithSpaces(ctx context.Context, resourceKey string) error {
	return db.lockInOrder(ctx, func(tx *DB) (complete bool, err error) {
		var spaces []string
		err = tx.idb.NewRaw(`SELECT id FROM spaces
			WHERE id IN (SELECT space_id FROM space_files WHERE resource_key = ?) ORDER BY id FOR KEY SHARE`, resourceKey).
			Scan(ctx, &spaces)
		if err != nil {
			return false, translate(err)
		}
		if err := tx.preventUserDeletion(ctx, "SELECT user_id FROM files WHERE resource_key = ?", resourceKey); err != nil {
			return false, err
		}
		if _, err := tx.idb.ExecContext(ctx, "SELECT FROM files WHERE resource_key = ? FOR UPDATE", resourceKey); err != nil {
			return false, translate(err)
		}
		err = tx.idb.NewRaw(`SELECT NOT EXISTS (SELECT FROM space_files
			WHERE resource_key = ? AND space_id <> ALL(coalesce(?::text[], '{}')))`, resourceKey, pgdialect.Array(spaces)).Scan(ctx, &complete)
		return complete, translate(err)
	})
}

// FileHash returns the SHA-256 of a file in hex; "" if nobody has stored it, or the file is gone.
func (db *DB) FileHash(ctx context.Context, resourceKey string) (string, error) {
	var hash string
	err := db.idb.NewRaw("SELECT coalesce((SELECT sha256 FROM files WHERE resource_key = ?), '')", resourceKey).Scan(ctx, &hash)
	return hash, translate(err)
}

// SetFileHash stores the SHA-256 of a file, whose bytes never change.
func (db *DB) SetFileHash(ctx context.Context, resourceKey, sha256 string) error {
	_, err := db.idb.ExecContext(ctx, "UPDATE files SET sha256 = ? WHERE resource_key = ?", sha256, resourceKey)
	return translate(err)
}
