package db

import (
	"context"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"portico/model"
)

// SetFacts stores the facts of a file unless it was deleted. For a damaged file it also
// updates the message of the job that stored it.
//
// The facts are written once for each preparation and replace the earlier ones as a whole. An
// update of a deleted file matches nothing and returns nil: the worker has nothing more to do for
// it.
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

// warnInJob writes the warning of a file into the message of the job that stored it, if the job is
// still there. The condition on the message makes a repeated preparation silent: subscribers get no
// second event.
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

// SetPosters replaces the posters of a file, removes the objects of the earlier posters, and
// reports whether it did. It stores nothing if the file was deleted, if it already has posters of
// its viewpoint, or if its viewpoint has changed. It returns CodeQuotaExceeded if its owner has too
// little free storage.
//
// Of two workers that draw the posters of one file, the second waits in lockDerived and then finds
// posters of the viewpoint. The caller deletes the objects of posters that were not stored.
func (db *DB) SetPosters(ctx context.Context, file *model.File, posters *model.Posters) (stored bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		account, current, err := tx.lockDerived(ctx, file)
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
		if err := tx.removePosters(ctx, current); err != nil {
			return err
		}
		return tx.announceFile(ctx, file.UserID, file.UploadID)
	})
	return stored, err
}

// lockDerived locks the storage of a file's owner, then the file, and returns both as they are
// now. The file is nil if it was deleted, perhaps with its owner.
//
// The account is locked before the file, as everywhere: a sum of storage is exact only while no
// other transaction can use the free bytes.
func (db *DB) lockDerived(ctx context.Context, file *model.File) (model.Storage, *model.File, error) {
	account, err := db.LockStorage(ctx, file.UserID)
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
func (db *DB) removePosters(ctx context.Context, file *model.File) error {
	if file.Posters == nil {
		return nil
	}
	now := time.Now()
	for _, picture := range file.Posters.Sizes {
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
func (db *DB) SetFailure(ctx context.Context, file *model.File, step model.PreparationStep, reason string) error {
	return db.InTx(ctx, func(tx *DB) error {
		stored, err := rowChanged(tx.idb.NewUpdate().Model((*model.File)(nil)).
			Set("failures = coalesce(failures, '{}') || jsonb_build_object(?::text, ?::text)", step, reason).
			Where("resource_key = ?", file.ResourceKey).Exec(ctx))
		if err != nil || !stored {
			return err
		}
		return tx.announceFile(ctx, file.UserID, file.UploadID)
	})
}

// enqueuePosters enqueues a preparation of the file, which draws its posters. It does nothing if
// the file has posters of its viewpoint.
//
// It clears the failure of an earlier drawing first: a new viewpoint may succeed where the old one
// did not.
func (db *DB) enqueuePosters(ctx context.Context, file *model.File) error {
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
	return db.enqueueFileJob(ctx, PreparationKind, file.ResourceKey, string(text))
}

// AddView stores the key of the first object of the file's view and the size of the view, and
// reports whether it did. It stores nothing if the file was deleted or has a view. It returns
// CodeQuotaExceeded if its owner has too little free storage.
func (db *DB) AddView(ctx context.Context, file *model.File, key string, bytes int64) (bool, error) {
	return db.addDerived(ctx, file, derivedObject{
		column: "view_key", key: key, bytes: bytes, isStored: func(file *model.File) bool { return file.ViewKey != "" },
	})
}

// AddCollision is AddView for a collision, with the start that was found for it.
func (db *DB) AddCollision(ctx context.Context, file *model.File, key string, bytes int64, start *model.Start) (bool, error) {
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
func (db *DB) addDerived(ctx context.Context, file *model.File, object derivedObject) (added bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		account, current, err := tx.lockDerived(ctx, file)
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
			if err := tx.enqueuePosters(ctx, updated[0]); err != nil {
				return err
			}
		}
		return tx.announceFile(ctx, file.UserID, file.UploadID)
	})
	return added, err
}
