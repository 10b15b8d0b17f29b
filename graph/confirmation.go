package graph

import (
	"context"
	"errors"
	"fmt"

	"portico/db"
	"portico/model"
	"portico/storage"
)

// CompleteUpload confirms that the bytes were sent, or gives the upload up. The same
// confirmation again gets the same answer: a client repeats a request whose answer it
// lost, and must not start a second job (contract, Uploads and jobs).
func (r Mutations) CompleteUpload(ctx context.Context, in model.CompleteUpload) (*model.Confirmation, error) {
	if _, err := caller(ctx); err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	upload, err := r.ownedUpload(ctx, in.FileURL)
	if err != nil {
		return nil, err
	}
	if in.Status != model.StatusSuccess {
		return &model.Confirmation{}, r.discard(ctx, upload)
	}
	// Another request may change the state meanwhile: confirm checks it again.
	if upload.State == model.UploadPending {
		return r.confirm(ctx, upload)
	}
	return r.confirmed(ctx, upload)
}

// errNotPending says that another request confirmed the upload or gave it up first.
var errNotPending = errors.New("upload is not pending")

// confirm stores the upload as a file, or starts the job that does. Everything after
// the check of the bytes is one transaction: all of it happens, or nothing.
func (r *Resolver) confirm(ctx context.Context, upload *model.Upload) (*model.Confirmation, error) {
	// Before the transaction, which must not hold its locks while the store answers.
	if err := r.checkBytes(ctx, upload); err != nil {
		return nil, err
	}
	var confirmation model.Confirmation
	err := r.DB.InTx(ctx, func(tx *db.DB) error {
		// 1. The storage of an expired promise may be promised to others, or taken.
		if upload.Expired {
			if err := reserveAgain(ctx, tx, upload); err != nil {
				return err
			}
		}
		// 2. A small file is stored as it is, under the key that it was uploaded to.
		if !r.needsJob(upload) {
			confirmation.File = model.NewFile(upload)
			return pendingOrError(tx.StoreFile(ctx, confirmation.File, model.UploadPending))
		}
		// 3. Everything else is handed to a worker. Of two confirmations at once
		// exactly one passes StartUpload, so there is exactly one job.
		job := model.NewJob(upload)
		if err := pendingOrError(tx.StartUpload(ctx, upload.ID, job.ID)); err != nil {
			return err
		}
		if err := tx.AddJob(ctx, job); err != nil {
			return err
		}
		confirmation.Job = job
		return tx.Enqueue(ctx, job.ID, model.RequestID(ctx))
	})
	if errors.Is(err, errNotPending) {
		return r.confirmed(ctx, upload)
	}
	if err != nil {
		return nil, err
	}
	return &confirmation, nil
}

// needsJob reports whether storing the upload takes longer than a request may.
func (r *Resolver) needsJob(upload *model.Upload) bool {
	return upload.IsZip() || upload.IsPage() || upload.ConvertTo != "" || upload.Size > r.Settings.AsyncThreshold
}

// checkBytes refuses an upload whose bytes are not in the store, or not as many as were
// promised: a bucket may be written by others than us.
func (r *Resolver) checkBytes(ctx context.Context, upload *model.Upload) error {
	if upload.Resumable {
		return r.assemble(ctx, upload)
	}
	object, err := r.Store.Stat(ctx, upload.StorageKey())
	if errors.Is(err, storage.ErrNotFound) || (err == nil && object.Size != upload.Size) {
		return model.NotFound(model.UploadNotFound)
	}
	if err != nil {
		return fmt.Errorf("look for upload %s: %w", upload.ID, err)
	}
	return nil
}

// reserveAgain reserves storage for an upload whose promise has expired.
func reserveAgain(ctx context.Context, tx *db.DB, upload *model.Upload) error {
	account, err := tx.LockStorage(ctx, upload.UserID)
	if err != nil {
		return err
	}
	// The transaction that held the lock before may have confirmed this very upload,
	// whose bytes would then be counted twice.
	current, err := tx.Upload(ctx, upload.ID)
	if err != nil {
		return err
	}
	if current.State != model.UploadPending {
		return errNotPending
	}
	return checkFree(upload.Size, account)
}

// pendingOrError turns the result of a change that only a pending upload allows into
// errNotPending where it was not.
func pendingOrError(pending bool, err error) error {
	if err == nil && !pending {
		return errNotPending
	}
	return err
}

// confirmed answers the confirmation of an upload that is not pending any more: like
// the first time, for as long as its job is kept.
func (r *Resolver) confirmed(ctx context.Context, upload *model.Upload) (*model.Confirmation, error) {
	upload, err := r.DB.Upload(ctx, upload.ID)
	if err != nil {
		return nil, err
	}
	// First: the job of a deleted file may still be there.
	if upload.State == model.UploadDiscarded {
		return nil, model.NotFound(model.UploadNotFound)
	}
	// A job answers for as long as it is there, also after its end: a client that
	// polls it finds the file in it.
	if upload.JobID != "" {
		job, err := r.DB.Job(ctx, upload.JobID)
		if model.CodeOf(err) != model.CodeNotFound {
			return &model.Confirmation{Job: job}, err
		}
	}
	// Its job failed and was purged.
	if upload.State != model.UploadConfirmed {
		return nil, model.NotFound(model.UploadNotFound)
	}
	file, err := r.DB.FileOfUpload(ctx, upload.ID)
	return &model.Confirmation{File: file}, err
}

// discard gives a pending upload up. Its promised storage is free once its bytes are
// deleted and no more can arrive.
func (r *Resolver) discard(ctx context.Context, upload *model.Upload) error {
	err := r.DB.InTx(ctx, func(tx *db.DB) error {
		err := pendingOrError(tx.MoveUpload(ctx, upload.ID, model.UploadPending, model.UploadDiscarded))
		if err != nil {
			return err
		}
		// Bytes may still arrive: some stores let a request finish that has started.
		return tx.AddRemoval(ctx, db.GivenUp(upload))
	})
	if errors.Is(err, errNotPending) {
		return r.discarded(ctx, upload)
	}
	if err != nil {
		return err
	}
	// The removal above repeats this if it fails.
	if err := r.removeObjects(ctx, upload.StorageKey(), r.Store.Delete); err != nil {
		r.Logger.Warn("remove a discarded upload", "upload_id", upload.ID, "error", err)
	}
	return nil
}

// discarded answers a discard of an upload that is not pending any more: it accepts a
// repeated one, and refuses one of a confirmed upload.
func (r *Resolver) discarded(ctx context.Context, upload *model.Upload) error {
	upload, err := r.DB.Upload(ctx, upload.ID)
	if err != nil || upload.State == model.UploadDiscarded {
		return err
	}
	return model.InvalidField("status", "must be success: the upload was confirmed already").WithReason(model.ReasonEnded)
}
