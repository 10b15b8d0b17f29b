package db

import (
	"context"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// AddFile inserts a file and announces it to its owner. A second file of an upload violates
// files_upload_key, which is an internal error. StoreFile prevents it.
func (db Files) AddFile(ctx context.Context, file *model.File) error {
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
func (db Files) StoreFile(ctx context.Context, file *model.File, from model.UploadState) (bool, error) {
	moved, err := db.Uploads().MoveUpload(ctx, file.UploadID, from, model.UploadConfirmed)
	if err != nil || !moved {
		return false, err
	}
	if err := db.AddFile(ctx, file); err != nil {
		return false, err
	}
	return true, db.Queue().EnqueuePreparation(ctx, file.ResourceKey)
}

// FileOf returns the user's file with this resource key, or model.FileNotFound.
func (db Files) FileOf(ctx context.Context, userID, resourceKey string) (*model.File, error) {
	file := new(model.File)
	err := db.idb.NewSelect().Model(file).
		Where("resource_key = ? AND "+belongsTo("?"), resourceKey, userID).Scan(ctx)
	return file, translateNotFound(err, model.FileNotFound)
}

// AnyFile returns the file with this resource key, of any user; nil if there is none, such as a
// deleted one.
func (db Files) AnyFile(ctx context.Context, resourceKey string) (*model.File, error) {
	var rows []*model.File
	err := db.idb.NewSelect().Model(&rows).Where("resource_key = ?", resourceKey).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, translate(err)
	}
	return rows[0], nil
}

// FilesByKey returns the files with these resource keys that exist, by key. It asks for no owner:
// the caller drops the files of other accounts.
func (db Files) FilesByKey(ctx context.Context, keys []string) (map[string]*model.File, error) {
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
func (db Files) LockFile(ctx context.Context, userID, resourceKey string) (*model.File, error) {
	file := new(model.File)
	err := db.idb.NewSelect().Model(file).
		Where("resource_key = ? AND "+belongsTo("?"), resourceKey, userID).For("NO KEY UPDATE").Scan(ctx)
	return file, translateNotFound(err, model.FileNotFound)
}

// SetOwnStart stores the viewpoint that the owner of a file chose, or none for nil, has its
// posters drawn again, and returns the file.
//
// An unchanged viewpoint enqueues nothing: the file has posters of it already.
func (db Files) SetOwnStart(ctx context.Context, userID, resourceKey string, viewpoint *model.Viewpoint) (*model.File, error) {
	file := new(model.File)
	err := db.InTx(ctx, func(tx *DB) error {
		err := tx.idb.NewUpdate().Model((*model.File)(nil)).Set("own_start = ?::jsonb", viewpoint).
			Where("resource_key = ? AND "+belongsTo("?"), resourceKey, userID).Returning("*").Scan(ctx, file)
		if err != nil {
			return translateNotFound(err, model.FileNotFound)
		}
		if err := tx.Files().enqueuePosters(ctx, file); err != nil {
			return err
		}
		return tx.Watched().announceFile(ctx, file.UserID, file.UploadID)
	})
	return file, err
}

// FileOfUpload returns the file that was stored for the upload. Until then, and after the file was
// deleted, it returns model.FileNotFound.
func (db Files) FileOfUpload(ctx context.Context, uploadID string) (*model.File, error) {
	file := new(model.File)
	err := db.idb.NewSelect().Model(file).Where("upload_id = ?", uploadID).Scan(ctx)
	return file, translateNotFound(err, model.FileNotFound)
}

// Files returns a page of the user's files that pass the filter and whose names contain
// page.Search, newest first.
//
// Every order of a page has an index that begins with the account: files_by_user, files_by_name and
// files_by_size.
func (db Files) Files(ctx context.Context, userID string, filter model.FileFilter, page model.Page) (*model.FileConnection, error) {
	owned := listing{
		table: "files", newest: true, where: belongsTo("?"), args: []any{userID},
		total: keptTotal("? || ' files'"), totalArgs: []any{userID}, bounded: true,
	}
	if page.Search != "" {
		owned.addCondition("name ILIKE ?", "%"+likeEscaper.Replace(page.Search)+"%")
	}
	if len(filter.Format) > 0 {
		owned.addCondition("facts->>'format' = ANY(?::text[])", pgdialect.Array(filter.Format))
	}
	files, err := list[model.File](ctx, db.DB, owned, page)
	return (*model.FileConnection)(files), err
}

// DeleteFile deletes the file's row and returns it as it was then. It returns nil if there is no
// such row: of two requests that delete the file, one gets it.
//
// The caller discards the upload and records the removal of the objects in the same transaction.
// Space files that refer to the file are deleted by their foreign key.
func (db Files) DeleteFile(ctx context.Context, resourceKey string) (*model.File, error) {
	var files []*model.File
	err := db.InTx(ctx, func(tx *DB) error {
		if err := tx.Files().lockFileWithSpaces(ctx, resourceKey); err != nil {
			return err
		}
		err := tx.idb.NewDelete().Model((*model.File)(nil)).
			Where("resource_key = ?", resourceKey).Returning("*").Scan(ctx, &files)
		if err != nil || len(files) == 0 {
			return translate(err)
		}
		return tx.Watched().announceFile(ctx, files[0].UserID, files[0].UploadID)
	})
	if err != nil || len(files) == 0 {
		return nil, err
	}
	return files[0], nil
}

// lockFileWithSpaces locks the spaces whose files refer to the file, its account and the file, in
// the order of DeleteUser. Afterwards no other space can refer to the file, because the foreign key
// of a space file waits for the lock.
func (db Files) lockFileWithSpaces(ctx context.Context, resourceKey string) error {
	return db.lockInOrder(ctx, func(tx *DB) (complete bool, err error) {
		var spaces []string
		err = tx.idb.NewRaw(`SELECT id FROM spaces
			WHERE id IN (SELECT space_id FROM space_files WHERE resource_key = ?) ORDER BY id FOR KEY SHARE`, resourceKey).
			Scan(ctx, &spaces)
		if err != nil {
			return false, translate(err)
		}
		if err := tx.Accounts().preventUserDeletion(ctx, "SELECT user_id FROM files WHERE resource_key = ?", resourceKey); err != nil {
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
func (db Files) FileHash(ctx context.Context, resourceKey string) (string, error) {
	var hash string
	err := db.idb.NewRaw("SELECT coalesce((SELECT sha256 FROM files WHERE resource_key = ?), '')", resourceKey).Scan(ctx, &hash)
	return hash, translate(err)
}

// SetFileHash stores the SHA-256 of a file, whose bytes never change.
func (db Files) SetFileHash(ctx context.Context, resourceKey, sha256 string) error {
	_, err := db.idb.ExecContext(ctx, "UPDATE files SET sha256 = ? WHERE resource_key = ?", sha256, resourceKey)
	return translate(err)
}

// FailedFiles returns up to limit files of all accounts with steps of the preparation that were
// given up, newest first.
//
// It scans the files: only operators call it, and few files fail.
func (db Files) FailedFiles(ctx context.Context, limit int) ([]*model.FailedFile, error) {
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
func (db Files) RetryFile(ctx context.Context, resourceKey string) (bool, error) {
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
			enqueue := tx.Queue().EnqueuePreparation
			switch step {
			case model.StepView:
				enqueue = tx.Queue().EnqueueView
			case model.StepCollision:
				enqueue = tx.Queue().EnqueueCollision
			}
			if err := enqueue(ctx, resourceKey); err != nil {
				return err
			}
		}
		if err := tx.Audit().record(ctx, model.EventJobRetried, row.UserID, resourceKey, ""); err != nil {
			return err
		}
		return tx.Watched().announceFile(ctx, row.UserID, row.UploadID)
	})
	return started, err
}

// StartFileJob enqueues a job about a stored file, which model.NewConversion or model.NewExtraction has
// made, unless the same is under way, and returns the job. The file must be locked. The worker
// reserves storage for the result, because its size is unknown until then.
//
// The locked file makes two requests run one after the other: the second finds the job of the
// first. The index jobs_of_files, unique over the source and what the unfinished jobs do with it,
// guarantees it.
func (db Files) StartFileJob(ctx context.Context, upload *model.Upload, job *model.Job) (*model.Job, error) {
	if running, err := db.Jobs().runningFileJob(ctx, job); err != nil || running != nil {
		return running, err
	}
	if err := db.Uploads().AddUpload(ctx, upload); err != nil {
		return nil, err
	}
	if err := db.Jobs().AddJob(ctx, job); err != nil {
		return nil, err
	}
	return job, db.Queue().Enqueue(ctx, job.ID, model.RequestID(ctx))
}

// SetFacts stores the facts of a file unless it was deleted. For a damaged file it also
// updates the message of the job that stored it.
//
// The facts are written once for each preparation and replace the earlier ones as a whole. An
// update of a deleted file matches nothing and returns nil: the worker has nothing more to do for
// it.
func (db Files) SetFacts(ctx context.Context, resourceKey string, facts *model.FileFacts) error {
	return db.InTx(ctx, func(tx *DB) error {
		var files []*model.File
		err := tx.idb.NewUpdate().Model((*model.File)(nil)).Set("facts = ?", facts).
			Where("resource_key = ?", resourceKey).Returning("*").Scan(ctx, &files)
		if err != nil || len(files) == 0 {
			return translate(err)
		}
		if files[0].Warning() != nil {
			if err := tx.Files().warnInJob(ctx, files[0]); err != nil {
				return err
			}
		}
		return tx.Watched().announceFile(ctx, files[0].UserID, files[0].UploadID)
	})
}

// warnInJob writes the warning of a file into the message of the job that stored it, if the job is
// still there. The condition on the message makes a repeated preparation silent: subscribers get no
// second event.
func (db Files) warnInJob(ctx context.Context, file *model.File) error {
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

// SetPosters replaces the posters of a file, removes the objects of the earlier posters, and
// reports whether it did. It stores nothing if the file was deleted, if it already has posters of
// its viewpoint, or if its viewpoint has changed. It returns CodeQuotaExceeded if its owner has too
// little free storage.
//
// Of two workers that draw the posters of one file, the second waits in lockDerived and then finds
// posters of the viewpoint. The caller deletes the objects of posters that were not stored.
func (db Files) SetPosters(ctx context.Context, file *model.File, posters *model.Posters) (stored bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		account, current, err := tx.Files().lockDerived(ctx, file)
		if err != nil || current == nil || current.HasPosters() || !posters.Match(current) {
			return err
		}
		if account.Free() < posters.Growth(current.Posters) {
			return model.StorageFull()
		}
		stored, err = rowChanged(tx.idb.NewUpdate().Model((*model.File)(nil)).
			Set("posters = ?", posters).Set("poster_key = ?", posters.Sizes[0].Key).
			Set("derived_bytes = greatest(0, derived_bytes + ?)", posters.Growth(current.Posters)).
			Where("resource_key = ?", file.ResourceKey).Exec(ctx))
		if err != nil || !stored {
			return err
		}
		if err := tx.Files().removePosters(ctx, current); err != nil {
			return err
		}
		return tx.Watched().announceFile(ctx, file.UserID, file.UploadID)
	})
	return stored, err
}

// lockDerived locks the storage of a file's owner, then the file, and returns both as they are
// now. The file is nil if it was deleted, perhaps with its owner.
//
// The account is locked before the file, as everywhere: a sum of storage is exact only while no
// other transaction can use the free bytes.
func (db Files) lockDerived(ctx context.Context, file *model.File) (model.Storage, *model.File, error) {
	account, err := db.Accounts().LockStorage(ctx, file.UserID)
	if err == nil {
		file, err = db.LockFile(ctx, file.UserID, file.ResourceKey)
	}
	if model.CodeOf(err) == model.CodeNotFound {
		return model.Storage{}, nil, nil
	}
	return account, file, err
}

// removePosters schedules the removal of a file's posters. Their storage is free once they
// are deleted.
func (db Files) removePosters(ctx context.Context, file *model.File) error {
	now := time.Now()
	for _, picture := range file.Posters.Objects() {
		removal := Removal{Key: file.UserID + "/" + picture.Key, Due: now, UserID: file.UserID, Bytes: picture.Bytes, Sweep: now}
		if err := db.AddRemoval(ctx, removal); err != nil {
			return err
		}
	}
	return nil
}

// SetFailure stores that a step of the file's preparation was given up, unless the file was
// deleted. The step is a key of a JSON object, so a later failure of the same step replaces the
// reason.
func (db Files) SetFailure(ctx context.Context, file *model.File, step model.PreparationStep, reason string) error {
	return db.InTx(ctx, func(tx *DB) error {
		stored, err := rowChanged(tx.idb.NewUpdate().Model((*model.File)(nil)).
			Set("failures = coalesce(failures, '{}') || jsonb_build_object(?::text, ?::text)", step, reason).
			Where("resource_key = ?", file.ResourceKey).Exec(ctx))
		if err != nil || !stored {
			return err
		}
		return tx.Watched().announceFile(ctx, file.UserID, file.UploadID)
	})
}

// enqueuePosters enqueues a preparation of the file, which draws its posters. It does nothing if
// the file has posters of its viewpoint.
//
// It clears the failure of an earlier drawing first: a new viewpoint may succeed where the old one
// did not.
func (db Files) enqueuePosters(ctx context.Context, file *model.File) error {
	viewpoint := file.PosterView()
	if file.HasPosters() || file.Posters == nil && viewpoint == nil {
		return nil
	}
	// The viewpoint is part of the unique key: a preparation that is running may use another one.
	text, err := json.Marshal(viewpoint)
	if err != nil {
		return err
	}
	_, err = db.idb.NewUpdate().Model((*model.File)(nil)).Set("failures = failures - ?", model.StepPoster).
		Where("resource_key = ? AND failures IS NOT NULL", file.ResourceKey).Exec(ctx)
	if err != nil {
		return translate(err)
	}
	return db.Queue().enqueueFileJob(ctx, PreparationKind, FileJobArgs{ResourceKey: file.ResourceKey}, string(text))
}

// AddView stores the key of the first object of the file's view and the size of the view, and
// reports whether it did. It stores nothing if the file was deleted or has a view. It returns
// CodeQuotaExceeded if its owner has too little free storage.
func (db Files) AddView(ctx context.Context, file *model.File, key string, bytes int64) (bool, error) {
	return db.addDerived(ctx, file, derivedObject{
		column: "view_key", key: key, bytes: bytes, isStored: func(file *model.File) bool { return file.ViewKey != "" },
	})
}

// AddCollision is AddView for a collision, with the start that was found for it.
func (db Files) AddCollision(ctx context.Context, file *model.File, key string, bytes int64, start *model.Start) (bool, error) {
	return db.addDerived(ctx, file, derivedObject{
		column: "collision_key", key: key, bytes: bytes, start: start, isStored: func(file *model.File) bool { return file.CollisionKey != "" },
	})
}

// derivedObject is an object that was made from a file.
type derivedObject struct {
	// column is the column of the file that stores key, and isStored reports whether it stores one.
	column   string
	isStored func(*model.File) bool
	// key is the key of the object, or of the first one if there are several. bytes is their size.
	key   string
	bytes int64
	// start is the start that was found with the object. Nil keeps the file's start.
	start *model.Start
}

// addDerived stores the key of one more derived object.
//
// Of two workers that made the same object, the second waits in lockDerived and then finds it
// stored. It gets false and deletes what it has stored. A view and a collision are made once in the
// life of a file.
func (db Files) addDerived(ctx context.Context, file *model.File, object derivedObject) (added bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		account, current, err := tx.Files().lockDerived(ctx, file)
		if err != nil || current == nil || object.isStored(current) {
			return err
		}
		if account.Free() < object.bytes {
			return model.StorageFull()
		}
		var updated []*model.File
		err = tx.idb.NewUpdate().Model((*model.File)(nil)).
			Set("? = ?", bun.Ident(object.column), object.key).Set("start = coalesce(?::jsonb, start)", object.start).
			Set("derived_bytes = derived_bytes + ?", object.bytes).
			Where("resource_key = ?", file.ResourceKey).Returning("*").Scan(ctx, &updated)
		if err != nil || len(updated) == 0 {
			return translate(err)
		}
		added = true
		if object.start != nil {
			if err := tx.Files().enqueuePosters(ctx, updated[0]); err != nil {
				return err
			}
		}
		return tx.Watched().announceFile(ctx, file.UserID, file.UploadID)
	})
	return added, err
}
