package graph

import (
	"context"
	"errors"
	"time"

	"portico/db"
	"portico/db/dial"
	"portico/graph/access"
	"portico/model"
)

// File returns a file of the caller. The file of another account is model.FileNotFound, as an
// unknown one is.
func (r Queries) File(ctx context.Context, resourceKey string) (*model.File, error) {
	return r.access.OwnedFile(ctx, resourceKey)
}

// Files returns a page of the caller's files, newest first.
func (r Queries) Files(ctx context.Context, first *int, after *string) (*model.FileConnection, error) {
	return r.OwnedFiles(ctx, model.FileFilter{}, model.PageArgs{Limit: first, Cursor: model.Deref(after)})
}

// OwnedFiles returns a page of the caller's files that pass the filter.
func (r *Resolver) OwnedFiles(ctx context.Context, filter model.FileFilter, args model.Pager) (*model.FileConnection, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	return r.db.Files().Files(ctx, c.UserID, filter, page)
}

// UpdateFile changes a file of the caller and returns its new state.
//
// The new start applies at once. Posters of it are drawn later, and the file is announced again
// then.
func (r Mutations) UpdateFile(ctx context.Context, in model.UpdateFile) (*model.File, error) {
	file, err := r.access.OwnedFile(ctx, in.ResourceKey)
	if err != nil {
		return nil, err
	}
	if err := in.Validate(file); err != nil {
		return nil, err
	}
	if !in.SetStart {
		return file, nil
	}
	return r.db.Files().SetOwnStart(ctx, file.UserID, file.ResourceKey, in.Viewpoint())
}

// DeleteFile deletes a file of the caller and returns its resource key. Its storage is free when
// its objects are deleted. Entities that show the file keep its address.
func (r Mutations) DeleteFile(ctx context.Context, resourceKey string) (string, error) {
	file, err := r.access.OwnedFile(ctx, resourceKey)
	if err != nil {
		return "", err
	}
	event := model.NewSecurityEvent(ctx, model.EventFileDeleted, file.UserID).WithSubject(file.ResourceKey, file.Name)
	record := func(tx *db.DB) error { return tx.Audit().AddSecurityEvent(ctx, event) }
	upload, err := r.deleteFileRow(ctx, file, record)
	if dial.DiskFull(err) && upload != nil {
		// Even a deletion needs room for the database, which is often on the disk of the files. The
		// owner wants these bytes deleted, so they make the room.
		r.removeDeletedFile(ctx, file, upload)
		upload, err = r.deleteFileRow(ctx, file, record)
	}
	if err != nil {
		return "", err
	}
	r.removeDeletedFile(ctx, file, upload)
	return resourceKey, nil
}

// deleteFileRow deletes the row of a file, discards its upload and records the removals, in one
// transaction, in which it also calls record. It returns the upload, for removeDeletedFile.
//
// A request that reads the file before its objects are deleted gets its bytes.
func (r *Resolver) deleteFileRow(ctx context.Context, file *model.File, record func(tx *db.DB) error) (*model.Upload, error) {
	upload, err := r.db.Uploads().Upload(ctx, file.UploadID)
	if err != nil {
		return nil, err
	}
	err = r.db.InTx(ctx, func(tx *db.DB) error {
		if err := deleteFile(ctx, tx, file, upload); err != nil {
			return err
		}
		return record(tx)
	})
	return upload, err
}

// removeDeletedFile deletes the objects of a file whose row is deleted. It only logs its errors:
// the recorded removals delete the objects later.
func (r *Resolver) removeDeletedFile(ctx context.Context, file *model.File, upload *model.Upload) {
	if err := r.removeFile(ctx, file, upload); err != nil {
		r.logger.Warn("remove a deleted file", "upload_id", upload.ID, "error", err)
	}
}

// removeFile deletes the objects of a file, and the objects that were made from it. It tries all of
// them, and returns the errors of all.
func (r *Resolver) removeFile(ctx context.Context, file *model.File, upload *model.Upload) error {
	errs := []error{
		r.objects.RemoveFolder(ctx, file.DerivedStorageRoot()),
		r.objects.Remove(ctx, upload.StorageKey()),
	}
	if file.IsExtracted(upload) {
		errs = append(errs, r.objects.RemoveFolder(ctx, upload.StorageRoot()))
	}
	return errors.Join(errs...)
}

// deleteFile deletes the row of the file, discards its upload, which cannot be confirmed
// again, and records the removal of the objects, each with its size in bytes.
//
// The removals, by what they delete:
//
//	DerivedStorageRoot   posters, views and collisions: kept for a day, because a worker may still write
//	RemovalOf(upload)    the bytes that were uploaded
//	StorageRoot          the files that were extracted from a zip, if there are any
func deleteFile(ctx context.Context, tx *db.DB, file *model.File, upload *model.Upload) error {
	// What follows uses the deleted row: a worker may have added a view since the file was read.
	file, err := tx.Files().DeleteFile(ctx, file.ResourceKey)
	if err != nil {
		return err
	}
	if file == nil { // another request was first
		return model.NotFound(model.FileNotFound)
	}
	if _, err := tx.Uploads().MoveUpload(ctx, upload.ID, model.UploadConfirmed, model.UploadDiscarded); err != nil {
		return err
	}
	now := time.Now()
	removals := []db.Removal{
		// A worker that prepares the file now may still store a poster or a view.
		{Key: file.DerivedStorageRoot(), Due: model.DerivedUntil(now), UserID: file.UserID, Bytes: file.DerivedBytes, Sweep: now},
		db.RemovalOf(upload),
	}
	if file.IsExtracted(upload) {
		removals = append(removals, db.Removal{Key: upload.StorageRoot(), Due: now, UserID: file.UserID, Bytes: file.Size, Sweep: now})
	}
	for _, removal := range removals {
		if err := tx.Files().AddRemoval(ctx, removal); err != nil {
			return err
		}
	}
	return nil
}

// fileToShow returns the caller's file that an entity will show, or nil for an empty resource key.
// It enqueues the view of the file, because viewers of the entity need it. Enqueuing it twice has
// no effect: a view is made once.
func (r *Resolver) fileToShow(ctx context.Context, resourceKey *string) (*model.File, error) {
	if model.Deref(resourceKey) == "" {
		return nil, nil
	}
	file, err := r.access.OwnedFile(ctx, *resourceKey)
	if err == nil {
		err = r.readDeclaredUp(ctx, file)
	}
	if err != nil || !file.NeedsView() {
		return file, err
	}
	return file, r.db.Queue().EnqueueView(ctx, file.ResourceKey)
}
