// Package object deletes the objects of files, uploads and accounts from the store.
package object

import (
	"context"
	"log/slog"

	"portico/db"
	"portico/model"
	"portico/storage"
)

// Remover deletes objects for which a removal is recorded, and frees their storage.
type Remover struct {
	db    *db.DB
	store storage.Store
	log   *slog.Logger
}

// NewRemover returns a remover of the objects of a store, with the removals of a database.
func NewRemover(rows *db.DB, store storage.Store, log *slog.Logger) *Remover {
	return &Remover{db: rows, store: store, log: log}
}

// Remove deletes an object.
func (r *Remover) Remove(ctx context.Context, key string) error {
	return r.remove(ctx, key, r.store.Delete)
}

// RemoveFolder deletes all objects whose keys begin with a folder.
func (r *Remover) RemoveFolder(ctx context.Context, folder string) error {
	return r.remove(ctx, folder, r.store.DeletePrefix)
}

func (r *Remover) remove(ctx context.Context, key string, remove func(context.Context, string) error) error {
	if err := remove(ctx, key); err != nil {
		return err
	}
	return r.db.Files().FinishSweep(ctx, key, r.store.AcceptsLateUploads())
}

// RemoveUpload deletes the upload of a canceled job that no worker has started; otherwise the
// worker deletes it. If this fails, it is logged, and the purge deletes it later.
func (r *Remover) RemoveUpload(ctx context.Context, job *model.Job) {
	upload, err := r.db.Uploads().Upload(ctx, job.UploadID)
	if err == nil {
		err = r.Remove(ctx, upload.StorageKey())
	}
	if err != nil {
		r.log.Warn("remove the upload of a canceled job", "job_id", job.ID, "error", err)
	}
}
