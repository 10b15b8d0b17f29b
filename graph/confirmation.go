package graph

import (
	"context"
	"errors"
	"fmt"

	"portico/db"
	"portico/model"
	"portico/storage"
)

// CompleteUpload confirms that the bytes were sent, or gives the upload up. The
// same confirmation again gives the same answer: clients repeat what they got no
// answer to, and must never start a second job (contract, Uploads and jobs).
func (r mutationResolver) CompleteUpload(ctx context.Context, in model.CompleteUpload) (*model.Confirmation, error) {
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
	// The state may be another one by now; confirm finds out in its transaction.
	if upload.State == model.UploadPending {
		return r.confirm(ctx, upload)
	}
	return r.confirmed(ctx, upload)
}

// discard gives a pending upload up; its promised storage is free once nothing of it
// is in the store and nothing can come.
func (r *Resolver) discard(ctx context.Context, upload *model.Upload) error {
	err := r.DB.InTx(ctx, func(tx *db.DB) error {
		pending, err := tx.MoveUpload(ctx, upload.ID, model.UploadPending, model.UploadDiscarded)
		if err != nil {
			return err
		}
		if !pending {
			return errNotPending
		}
		// Bytes may still arrive: a request that has begun is let through by some stores.
		return tx.AddRemoval(ctx, db.GivenUp(upload))
	})
	if errors.Is(err, errNotPending) {
		return r.discarded(ctx, upload)
	}
	if err != nil {
		return err
	}
	// What is there already goes now; the removal above sees to it when this fails.
	if err := r.removeHeld(ctx, upload.StorageKey(), r.Store.Delete); err != nil {
		r.Logger.Warn("remove a discarded upload", "upload_id", upload.ID, "error", err)
	}
	return nil
}

// discarded answers a discard of an upload that is not pending any more: the
// same discard again is fine, one of a confirmed upload is not.
func (r *Resolver) discarded(ctx context.Context, upload *model.Upload) error {
	upload, err := r.DB.Upload(ctx, upload.ID)
	if err != nil || upload.State == model.UploadDiscarded {
		return err
	}
	return model.Invalidf("status must be success: the upload was confirmed already")
}

// errNotPending says that another request took the upload out of its pending
// state first.
var errNotPending = errors.New("upload is not pending")

// confirm makes a file of the upload, or a job that does.
func (r *Resolver) confirm(ctx context.Context, upload *model.Upload) (*model.Confirmation, error) {
	if err := r.arrived(ctx, upload); err != nil {
		return nil, err
	}
	var confirmation model.Confirmation
	err := r.DB.InTx(ctx, func(tx *db.DB) (err error) {
		if err := reserveLate(ctx, tx, upload); err != nil {
			return err
		}
		if upload.IsZip() || upload.ConvertTo != "" || upload.Size > r.Settings.AsyncThreshold {
			confirmation.Job, err = startJob(ctx, tx, upload)
			return err
		}
		confirmation.File, err = storeFile(ctx, tx, upload)
		return err
	})
	if errors.Is(err, errNotPending) {
		return r.confirmed(ctx, upload)
	}
	if err != nil {
		return nil, err
	}
	return &confirmation, nil
}

// arrived refuses an upload whose bytes are not there. Other bytes than were
// promised are not the upload's: a store may be written by others than us.
func (r *Resolver) arrived(ctx context.Context, upload *model.Upload) error {
	object, err := r.Store.Stat(ctx, upload.StorageKey())
	if errors.Is(err, storage.ErrNotFound) || (err == nil && object.Size != upload.Size) {
		return model.NotFound(model.UploadNotFound)
	}
	if err != nil {
		return fmt.Errorf("look for upload %s: %w", upload.ID, err)
	}
	return nil
}

// reserveLate asks for storage again where the promise has expired: it may be
// promised to others, or taken, by now.
func reserveLate(ctx context.Context, tx *db.DB, upload *model.Upload) error {
	if !upload.Expired {
		return nil
	}
	free, err := tx.LockStorage(ctx, upload.UserID)
	if err != nil {
		return err
	}
	// Whoever held the lock may have confirmed this very upload, whose bytes
	// would then stand in their own way.
	current, err := tx.Upload(ctx, upload.ID)
	if err != nil {
		return err
	}
	if current.State != model.UploadPending {
		return errNotPending
	}
	return fits(upload.Size, free)
}

// storeFile takes the upload for a file as it is. Nothing is copied: the key that
// it was uploaded under is the one that it keeps.
func storeFile(ctx context.Context, tx *db.DB, upload *model.Upload) (*model.File, error) {
	pending, err := tx.MoveUpload(ctx, upload.ID, model.UploadPending, model.UploadConfirmed)
	if err != nil {
		return nil, err
	}
	if !pending {
		return nil, errNotPending
	}
	file := model.NewFile(upload)
	if err := tx.AddFile(ctx, file); err != nil {
		return nil, err
	}
	return file, tx.EnqueuePreparation(ctx, file.ResourceKey)
}

// startJob hands the upload to a worker. The job is there and queued, or neither:
// both happen in the transaction that confirms the upload.
func startJob(ctx context.Context, tx *db.DB, upload *model.Upload) (*model.Job, error) {
	job := model.NewJob(upload)
	pending, err := tx.StartUpload(ctx, upload.ID, job.ID)
	if err != nil {
		return nil, err
	}
	if !pending {
		return nil, errNotPending
	}
	if err := tx.AddJob(ctx, job); err != nil {
		return nil, err
	}
	return job, tx.Enqueue(ctx, job.ID, model.RequestID(ctx))
}

// confirmed answers for an upload that is not pending any more: as the first
// time, for as long as its job is remembered.
func (r *Resolver) confirmed(ctx context.Context, upload *model.Upload) (*model.Confirmation, error) {
	upload, err := r.DB.Upload(ctx, upload.ID)
	if err != nil {
		return nil, err
	}
	// First: the job of a file that was deleted may still be remembered.
	if upload.State == model.UploadDiscarded {
		return nil, model.NotFound(model.UploadNotFound)
	}
	// The job answers for as long as it is there, also when it has ended: the
	// client that polls it finds the file there.
	if upload.JobID != "" {
		job, err := r.DB.Job(ctx, upload.JobID)
		if model.CodeOf(err) != model.CodeNotFound {
			return &model.Confirmation{Job: job}, err
		}
	}
	// Its job failed, and is forgotten by now.
	if upload.State != model.UploadConfirmed {
		return nil, model.NotFound(model.UploadNotFound)
	}
	file, err := r.DB.FileOfUpload(ctx, upload.ID)
	return &model.Confirmation{File: file}, err
}
