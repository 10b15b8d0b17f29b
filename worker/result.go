package worker

import (
	"context"
	"fmt"

	"portico/db"
	"portico/model"
)

// complete stores the result and ends the job, in one transaction: either all
// of it is there, or the job begins again.
func (a *attempt) complete(ctx context.Context, file *model.File) error {
	// A report that came after the end would take the job for lost.
	a.progress.stop()
	viewed := false
	err := a.db.InTx(ctx, func(tx *db.DB) error {
		if _, err := tx.LockStorage(ctx, file.UserID); err != nil {
			return err
		}
		if err := fits(ctx, tx, a.upload, file.Size, a.sized); err != nil {
			return err
		}
		current, err := tx.CompleteJob(ctx, a.job.ID, a.job.Attempt, file.ResourceKey, file.CompletedMessage())
		if err != nil {
			return err
		}
		if !current {
			return errLost
		}
		if err := a.storeResult(ctx, tx, file); err != nil || a.view == nil {
			return err
		}
		viewed, err = tx.AddView(ctx, file, a.view.key, a.view.bytes)
		return err
	})
	if err == nil && a.replaces(file) {
		a.remover.remove(ctx, a.upload.StorageKey())
	}
	if err == nil && a.view != nil && !viewed { // others have taken its storage meanwhile
		if err := a.workspace.dropUnused(ctx, file); err != nil {
			a.log.Warn("remove a view that is not used", "error", err)
		}
	}
	return err
}

// storeResult stores the file that was made of the upload.
func (a *attempt) storeResult(ctx context.Context, tx *db.DB, file *model.File) error {
	processing, err := tx.StoreFile(ctx, file, model.UploadProcessing)
	if err != nil {
		return err
	}
	if !processing {
		return fmt.Errorf("upload %s is not being processed", file.UploadID)
	}
	if !a.replaces(file) {
		return nil
	}
	// Until its address expires the client may send the zip once more.
	return tx.AddRemoval(ctx, db.GivenUp(a.upload))
}

// replaces reports whether the file takes the place of the upload, which is removed
// then.
func (a *attempt) replaces(file *model.File) bool { return file.ResourceKey != a.upload.ResourceKey }

// fits refuses a result that takes more than its owner's free storage, of which
// the upload, counted as used by now, gives its own size back. Sized begins the
// sentence that says how large the result is.
func fits(ctx context.Context, in *db.DB, upload *model.Upload, bytes int64, sized string) error {
	account, err := in.Storage(ctx, upload.UserID)
	if err != nil {
		return err
	}
	if missing := bytes - upload.Size - account.Free(); missing > 0 {
		return &model.Error{Code: model.CodeQuotaExceeded, Message: fmt.Sprintf(
			"%s: %s %d bytes, %d more than are free", model.QuotaExceeded, sized, bytes, missing)}
	}
	return nil
}
