package graph

import (
	"context"
	"errors"
	"time"

	"portico/db"
	"portico/model"
)

// File returns a file of the caller.
func (r queryResolver) File(ctx context.Context, resourceKey string) (*model.File, error) {
	return r.ownedFile(ctx, resourceKey)
}

// Files returns a page of the caller's files, newest first.
func (r queryResolver) Files(ctx context.Context, first *int, after *string) (*model.FileConnection, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	page, err := model.PageArgs{Limit: first, Cursor: deref(after)}.Page()
	if err != nil {
		return nil, err
	}
	return r.DB.Files(ctx, c.UserID, page)
}

// DeleteFile deletes a file and returns its resource key. Its storage is free once
// its objects are gone; entities that show it keep its address.
func (r mutationResolver) DeleteFile(ctx context.Context, resourceKey string) (string, error) {
	file, err := r.ownedFile(ctx, resourceKey)
	if err != nil {
		return "", err
	}
	upload, err := r.DB.Upload(ctx, file.UploadID)
	if err != nil {
		return "", err
	}
	err = r.DB.InTx(ctx, func(tx *db.DB) error { return deleteFile(ctx, tx, file, upload) })
	if err != nil {
		return "", err
	}
	// What is there goes now; the removals see to it when this fails.
	if err := r.removeFile(ctx, file, upload); err != nil {
		r.Logger.Warn("remove a deleted file", "upload_id", upload.ID, "error", err)
	}
	return resourceKey, nil
}

// removeFile removes the objects of a file, and what was made of it.
func (r *Resolver) removeFile(ctx context.Context, file *model.File, upload *model.Upload) error {
	errs := []error{
		r.removeHeld(ctx, file.DerivedStorageRoot(), r.Store.DeletePrefix),
		r.removeHeld(ctx, upload.StorageKey(), r.Store.Delete),
	}
	if file.Extracted(upload) {
		errs = append(errs, r.removeHeld(ctx, upload.StorageRoot(), r.Store.DeletePrefix))
	}
	return errors.Join(errs...)
}

// removeHeld removes an object or a folder that was written down for it, and frees
// what it held.
func (r *Resolver) removeHeld(ctx context.Context, key string, remove func(context.Context, string) error) error {
	if err := remove(ctx, key); err != nil {
		return err
	}
	return r.DB.Swept(ctx, key, r.Store.TakesLate())
}

// deleteFile gives the file up, with its upload, which nobody can confirm again,
// and writes the objects down for removal, each with the bytes that it holds.
func deleteFile(ctx context.Context, tx *db.DB, file *model.File, upload *model.Upload) error {
	deleted, err := tx.DeleteFile(ctx, file.ResourceKey)
	if err != nil {
		return err
	}
	if !deleted { // another request was first
		return model.NotFound(model.FileNotFound)
	}
	event := model.NewSecurityEvent(ctx, model.EventFileDeleted, file.UserID).About(file.ResourceKey, file.Name)
	if err := tx.AddSecurityEvent(ctx, event); err != nil {
		return err
	}
	if _, err := tx.MoveUpload(ctx, upload.ID, model.UploadConfirmed, model.UploadDiscarded); err != nil {
		return err
	}
	now := time.Now()
	removals := []db.Removal{
		// What looks into the file right now may still store what it makes of it.
		{Key: file.DerivedStorageRoot(), Due: model.DerivedUntil(now), UserID: file.UserID, Bytes: file.DerivedBytes, Sweep: now},
		db.GivenUp(upload),
	}
	if file.Extracted(upload) {
		removals = append(removals, db.Removal{Key: upload.StorageRoot(), Due: now, UserID: file.UserID, Bytes: file.Size, Sweep: now})
	}
	for _, removal := range removals {
		if err := tx.AddRemoval(ctx, removal); err != nil {
			return err
		}
	}
	return nil
}
