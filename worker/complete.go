package worker

import (
	"context"
	"fmt"

	"portico/db"
	"portico/model"
)

// complete stores the result and ends the job in one transaction. If it fails, the
// job is tried again from the start.
//
// It locks the owner's storage first, so that two jobs of one owner cannot both take the last free
// bytes. After the commit nothing can fail the job: an object that cannot be removed stays on the
// list of removals.
func (a *attempt) complete(ctx context.Context, file *model.File) error {
	// A report after CompleteJob would find the job gone, and cancel this attempt with errLost.
	a.progress.stop()
	viewAdded, message := false, file.CompletedMessage()
	if a.note != "" {
		message += ". " + a.note
	}
	err := a.inTx(ctx, func(tx *db.DB) error {
		// First, because entities are written before the account is locked.
		if err := a.showInSplat(ctx, tx, file); err != nil {
			return err
		}
		if err := a.replace(ctx, tx, file); err != nil {
			return err
		}
		if _, err := tx.Accounts().LockStorage(ctx, file.UserID); err != nil {
			return err
		}
		current, err := tx.Jobs().CompleteJob(ctx, a.job.ID, a.job.Attempt, file.ResourceKey, message)
		if err != nil {
			return err
		}
		if !current {
			return errLost
		}
		if err := a.storeResult(ctx, tx, file); err != nil || a.view == nil {
			return err
		}
		viewAdded, err = a.view.folder.linkIn(ctx, tx, func(tx *db.DB) (bool, error) {
			return tx.Files().AddView(ctx, file, a.view.key, a.view.bytes)
		})
		if model.CodeOf(err) == model.CodeQuotaExceeded {
			return nil // the preparation of the file tries again, and stores why it fails
		}
		return err
	})
	// The store is changed only after the commit: until then the job may still be tried again.
	if err == nil && a.replaces(file) {
		_, _ = a.remover.remove(ctx, a.upload.StorageKey()) // the purge removes it if this fails
	}
	if !db.MayBeCommitted(err) {
		a.removeUnused(ctx, err == nil, viewAdded)
	}
	return err
}

// inTx runs the transaction of complete. If the file replaces another in an entity, the transaction
// is a version of the space by the owner.
func (a *attempt) inTx(ctx context.Context, fn func(tx *db.DB) error) error {
	if a.job.Replacement == nil {
		return a.db.InTx(ctx, fn)
	}
	ctx = model.WithOrigin(ctx, model.Origin{Door: a.job.Replacement.Door})
	return a.db.History().AsChangeSet(model.WithCaller(ctx, &model.Caller{UserID: a.job.UserID}), 0, fn)
}

// replace shows the file instead of the source of the job in the entity that its owner has named. If
// the entity was deleted or shows another file now, or another editor has locked the space, it
// refuses that, and the job fails: nothing is changed, and the result is not kept.
func (a *attempt) replace(ctx context.Context, tx *db.DB, file *model.File) error {
	r := a.job.Replacement
	if r == nil {
		return nil
	}
	space, err := tx.Spaces().SpaceForUpdate(ctx, r.SpaceID)
	if err != nil {
		return err
	}
	if space.OwnerID != a.job.UserID {
		return model.NotFound(model.SpaceNotFound)
	}
	if err := space.LockRefusal(r.LockToken); err != nil {
		return err
	}
	ids := []string{r.EntityID}
	if _, err := tx.Entities().LockEntities(ctx, space.ID, ids); err != nil {
		return err
	}
	entities, err := tx.Entities().EntitiesOfSpace(ctx, space.ID, ids)
	if err != nil {
		return err
	}
	if err := r.Check(entities[r.EntityID], a.store.PublicURL(a.job.UserID+"/"+a.job.SourceKey)); err != nil {
		return err
	}
	data := r.Data.OrEmpty().With(model.NewGLBURL(a.store.PublicURL(file.StorageKey())))
	_, err = tx.Entities().MergeEntity(ctx, model.UpdateEntity{SpaceID: space.ID, EntityID: r.EntityID, Data: data})
	return err
}

// showInSplat adds the file to the space that SuperSplat's API has created for its upload, if it has
// and the space was not deleted since. If the space is created later, it gets the file then: both
// lock the row of the upload first.
func (a *attempt) showInSplat(ctx context.Context, tx *db.DB, file *model.File) error {
	row, err := tx.Splats().LockSplatUpload(ctx, file.UploadID)
	if err != nil || row == nil || !row.Published {
		return err
	}
	if _, err := tx.Spaces().SpaceForUpdate(ctx, row.SpaceID); err != nil {
		if model.CodeOf(err) == model.CodeNotFound {
			return nil
		}
		return err
	}
	data := file.DefaultData().With(model.NewGLBURL(a.store.PublicURL(file.StorageKey())))
	if _, err := tx.Entities().AddEntity(ctx, model.NewEntity(row.SpaceID, model.NewModelID(), model.TypeUserModel, data)); err != nil {
		return err
	}
	return a.addSettings(ctx, tx, row.SpaceID, data)
}

// removeUnused deletes the folders of the attempt to which no row refers, after the transaction of
// complete. Another attempt makes results of its own.
func (a *attempt) removeUnused(ctx context.Context, completed, viewAdded bool) {
	if a.converted != nil && !completed {
		a.tools.removeUnused(ctx, *a.converted)
	}
	// If the job is completed without the view, the quota was used up meanwhile.
	if a.view != nil && (!completed || !viewAdded) {
		a.tools.removeUnused(ctx, a.view.folder)
	}
}

// storeResult checks the quota, stores the row of the file, keeps the folder of a converted file,
// and schedules the upload's removal if the file replaces it.
func (a *attempt) storeResult(ctx context.Context, tx *db.DB, file *model.File) error {
	// Before the check: the job has ended, so the folder counts until its removal is canceled.
	if a.converted != nil {
		if err := a.converted.cancelRemoval(ctx, tx); err != nil {
			return err
		}
	}
	if err := checkQuota(ctx, tx, a.upload, file.Size, a.sizeClause); err != nil {
		return err
	}
	processing, err := tx.Files().StoreFile(ctx, file, model.UploadProcessing)
	if err != nil {
		return err
	}
	if !processing {
		return fmt.Errorf("upload %s is not being processed", file.UploadID)
	}
	if a.settings != nil {
		if err := tx.Splats().AddSettings(ctx, file.UploadID, a.settings); err != nil {
			return err
		}
	}
	if !a.replaces(file) {
		return nil
	}
	// The client may send the zip again until the presigned URL expires.
	return tx.Files().AddRemoval(ctx, db.RemovalOf(a.upload))
}

// replaces reports whether the file replaces the upload. The zip of an extracted capture is
// removed; a file that is kept as it is stays.
func (a *attempt) replaces(file *model.File) bool { return file.ResourceKey != a.upload.ResourceKey }

// checkQuota returns a model.Error with CodeQuotaExceeded if the result of this many bytes
// exceeds its owner's free storage. The upload counts as used, and its size becomes free
// again, because the result replaces it. The clause is described at attempt.sizeClause.
func checkQuota(ctx context.Context, tx *db.DB, upload *model.Upload, bytes int64, clause string) error {
	account, err := tx.Accounts().Storage(ctx, upload.UserID)
	if err != nil {
		return err
	}
	if missing := bytes - upload.Size - account.Free(); missing > 0 {
		return &model.Error{Code: model.CodeQuotaExceeded, Message: fmt.Sprintf(
			"%s: %s %d bytes, %d more than are free", model.QuotaExceeded, clause, bytes, missing)}
	}
	return nil
}
