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

// URL returns the file's public address, which has no query and ends in the
// file's extension: clients tell the format by it (contract, Addresses).
func (r fileResolver) URL(_ context.Context, file *model.File) (string, error) {
	return r.Store.PublicURL(file.StorageKey()), nil
}

// DeleteFile deletes a file and returns its resource key. Its storage is free at
// once; entities that show it keep its address.
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
	derived := r.Store.DeletePrefix(ctx, file.DerivedStorageRoot())
	if file.Extracted(upload) {
		return errors.Join(derived, r.Store.DeletePrefix(ctx, upload.StorageRoot()))
	}
	return errors.Join(derived, r.Store.Delete(ctx, file.StorageKey()))
}

// deleteFile gives the file up, with its upload, which nobody can confirm again,
// and writes the objects down for removal.
func deleteFile(ctx context.Context, tx *db.DB, file *model.File, upload *model.Upload) error {
	deleted, err := tx.DeleteFile(ctx, file.ResourceKey)
	if err != nil {
		return err
	}
	if !deleted { // another request was first
		return model.NotFound(model.FileNotFound)
	}
	if _, err := tx.MoveUpload(ctx, upload.ID, model.UploadConfirmed, model.UploadDiscarded); err != nil {
		return err
	}
	// What looks into the file right now may still store what it makes of it.
	if err := tx.AddRemovals(ctx, model.DerivedUntil(time.Now()), file.DerivedStorageRoot()); err != nil {
		return err
	}
	// Until its address has expired the same bytes may be sent once more.
	if err := tx.AddRemovals(ctx, upload.LateUntil(), upload.StorageKey()); err != nil || !file.Extracted(upload) {
		return err
	}
	return tx.AddRemovals(ctx, time.Now(), upload.StorageRoot())
}
