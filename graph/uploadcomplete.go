package graph

import (
	"context"
	"errors"
	"fmt"
	"time"

	"portico/db"
	"portico/model"
	"portico/storage"
)

// CompleteUpload confirms that the bytes were sent, or discards the upload. It returns nil for a
// discarded upload. A repeated confirmation gets the same response: a client that did not receive
// the response sends the request again, and must not start a second job.
//
// The responses (API section 4, upload-complete), by the state of the upload:
//
//	pending      the file (200), or a job (202); an error leaves the upload pending
//	processing   the job
//	confirmed    the file, or as long as it is shown the job that stored it
//	failed       the job with its error as long as it is shown, then 404 with the error
//	discarded    404
func (r Mutations) CompleteUpload(ctx context.Context, in model.CompleteUpload) (*model.Confirmation, error) {
	upload, err := r.access.OwnedUpload(ctx, in)
	if err != nil {
		return nil, err
	}
	if in.Status != model.StatusSuccess {
		return nil, r.discard(ctx, upload)
	}
	// Another request may change the state after this: confirm checks it again.
	if upload.State == model.UploadPending {
		return r.confirm(ctx, upload)
	}
	return r.repeatConfirmation(ctx, upload)
}

// errNotPending says that another request has confirmed or discarded the upload.
var errNotPending = errors.New("upload is not pending")

// confirm stores the upload as a file, or starts the job that does. Everything after the check of
// the bytes is one transaction.
//
// The transaction locks in the order of package db: the account, if the reservation has ended or
// ends soon, and then the upload.
func (r *Resolver) confirm(ctx context.Context, upload *model.Upload) (*model.Confirmation, error) {
	// This is before the transaction, which must not hold its locks while the store answers.
	err := r.ensurePendingStored(ctx, upload)
	if errors.Is(err, errNotPending) {
		return r.repeatConfirmation(ctx, upload)
	}
	if err != nil {
		return nil, err
	}
	var confirmation model.Confirmation
	err = r.db.InTx(ctx, func(tx *db.DB) error {
		if err := ensureReserved(ctx, tx, upload); err != nil {
			return err
		}
		// A small file keeps the key that it was uploaded to, so its bytes are not copied.
		if !r.needsJob(upload) {
			confirmation.File = model.NewFile(upload)
			return requirePending(tx.Files().StoreFile(ctx, confirmation.File, model.UploadPending))
		}
		// A worker stores the other uploads. Of two simultaneous confirmations exactly one passes
		// StartUpload, so there is exactly one job.
		job := model.NewJob(upload)
		if err := requirePending(tx.Uploads().StartUpload(ctx, upload.ID, job.ID)); err != nil {
			return err
		}
		if err := tx.Jobs().AddJob(ctx, job); err != nil {
			return err
		}
		confirmation.Job = job
		return tx.Queue().Enqueue(ctx, job.ID, model.RequestID(ctx))
	})
	if errors.Is(err, errNotPending) {
		return r.repeatConfirmation(ctx, upload)
	}
	if err != nil {
		return nil, err
	}
	return &confirmation, nil
}

// needsJob reports whether storing the upload takes longer than a request may.
//
// A zip of any size is a job (API section 8), and so is a page of a viewer, from which the capture
// is read.
func (r *Resolver) needsJob(upload *model.Upload) bool {
	return upload.IsZip() || upload.IsHTML() || upload.ConvertTo != "" || upload.Size > r.settings.AsyncThreshold
}

const (
	// assembleAttempts is how many times ensurePendingStored looks for the bytes of a resumable
	// upload, and assemblePause is the pause between two attempts.
	assembleAttempts = 3
	assemblePause    = 100 * time.Millisecond
)

// ensurePendingStored is ensureStored for an upload that another request may be confirming at this
// moment. It returns errNotPending if the other request has confirmed or discarded it: a worker may
// have moved the bytes, or they were deleted.
//
// While the other request assembles a resumable upload, the bytes cannot be found for a moment: on
// disk they are locked, and in a bucket the last ones become a part. So ensurePendingStored looks
// again.
func (r *Resolver) ensurePendingStored(ctx context.Context, upload *model.Upload) error {
	for attempt := 1; ; attempt++ {
		missing := r.ensureStored(ctx, upload)
		if model.CodeOf(missing) != model.CodeNotFound {
			return missing
		}
		current, err := r.db.Uploads().Upload(ctx, upload.ID)
		if err != nil {
			return err
		}
		if current.State != model.UploadPending {
			return errNotPending
		}
		if !upload.Resumable || attempt == assembleAttempts {
			return missing
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(assemblePause):
		}
	}
}

// ensureStored assembles the object of a resumable upload. It refuses an upload whose bytes are not
// in the store, or whose object has another size than was reserved: others may write to a bucket.
func (r *Resolver) ensureStored(ctx context.Context, upload *model.Upload) error {
	if upload.Resumable {
		return r.assemble(ctx, upload)
	}
	object, err := r.store.Stat(ctx, upload.StorageKey())
	if errors.Is(err, storage.ErrNotFound) || (err == nil && object.Size != upload.Size) {
		return model.NotFound(model.UploadNotFound)
	}
	if err != nil {
		return fmt.Errorf("look for upload %s: %w", upload.ID, err)
	}
	return nil
}

// maxConfirmation is more than the transaction of confirm takes. Postgres ends its statements after
// seconds, and the transaction when it pauses for 30 seconds.
const maxConfirmation = 2 * time.Minute

// ensureReserved reserves the storage of the upload again if the reservation has ended, or may end
// before the commit: another upload may reserve it then. It looks at the upload again, because the
// store may have taken minutes to answer since the last time.
func ensureReserved(ctx context.Context, tx *db.DB, upload *model.Upload) error {
	isReserved, err := tx.Uploads().IsReserved(ctx, upload.ID, maxConfirmation)
	if err != nil || isReserved {
		return err
	}
	return renewReservation(ctx, tx, upload)
}

// renewReservation keeps the storage of an upload reserved until the end of the transaction, or
// reserves it again if the reservation has ended.
func renewReservation(ctx context.Context, tx *db.DB, upload *model.Upload) error {
	account, err := tx.Accounts().LockStorage(ctx, upload.UserID)
	if err != nil {
		return err
	}
	// The transaction that had the lock before may have confirmed the same upload. Its bytes would
	// be counted twice.
	current, err := tx.Uploads().UploadOf(ctx, upload.UserID, upload.ResourceKey)
	if err != nil {
		return err
	}
	if current.State != model.UploadPending {
		return errNotPending
	}
	// What is reserved now stays free until the commit, because this transaction has the lock.
	isReserved, err := tx.Uploads().IsReserved(ctx, upload.ID, 0)
	if err != nil || isReserved {
		return err
	}
	// account.Reserved contains this upload, unless its reservation had ended when the transaction
	// began: do not count it twice.
	if !current.Expired {
		account.Reserved -= upload.Size
	}
	return checkFree(upload.Size, account)
}

// requirePending returns errNotPending where an upload was not pending, and otherwise err.
func requirePending(pending bool, err error) error {
	if err == nil && !pending {
		return errNotPending
	}
	return err
}

// repeatConfirmation returns the response to a repeated confirmation. It is the first response, as
// long as the job of the upload is shown.
func (r *Resolver) repeatConfirmation(ctx context.Context, upload *model.Upload) (*model.Confirmation, error) {
	upload, err := r.db.Uploads().Upload(ctx, upload.ID)
	if err != nil {
		return nil, err
	}
	// This check is before the others, because the job of a deleted file may still be stored.
	if upload.State == model.UploadDiscarded {
		return nil, model.NotFound(model.UploadNotFound)
	}
	// The job is the response even after it has ended: the client finds the file in it. A client that
	// asks later could not read the job, so it gets the file.
	why := ""
	if upload.JobID != "" {
		job, err := r.db.Jobs().Job(ctx, upload.JobID)
		switch {
		case err == nil && !r.isShown(job):
			why = ": " + job.Error
		case model.CodeOf(err) != model.CodeNotFound:
			return &model.Confirmation{Job: job}, err
		}
	}
	if upload.State != model.UploadConfirmed { // its job failed
		return nil, model.NotFound(model.UploadNotFound + why)
	}
	file, err := r.db.Files().FileOfUpload(ctx, upload.ID)
	return &model.Confirmation{File: file}, err
}

// discard discards a pending upload. Its reserved storage is free when its bytes are deleted and
// no more bytes can arrive.
//
// A job of the upload is not canceled here: only a pending upload can be discarded, and it has
// none.
func (r *Resolver) discard(ctx context.Context, upload *model.Upload) error {
	err := r.db.InTx(ctx, func(tx *db.DB) error {
		err := requirePending(tx.Uploads().MoveUpload(ctx, upload.ID, model.UploadPending, model.UploadDiscarded))
		if err != nil {
			return err
		}
		// Bytes may still arrive: some stores let a request finish that started before.
		return tx.Files().AddRemoval(ctx, db.RemovalOf(upload))
	})
	if errors.Is(err, errNotPending) {
		return r.repeatDiscard(ctx, upload)
	}
	if err != nil {
		return err
	}
	// The recorded removal deletes the objects later if this fails.
	if err := r.objects.Remove(ctx, upload.StorageKey()); err != nil {
		r.logger.Warn("remove a discarded upload", "upload_id", upload.ID, "error", err)
	}
	return nil
}

// repeatDiscard returns the response to the discard of an upload that is not pending: nil for an
// upload that was discarded before, or whose job has failed and has deleted its bytes, and an error
// for a confirmed upload.
func (r *Resolver) repeatDiscard(ctx context.Context, upload *model.Upload) error {
	upload, err := r.db.Uploads().Upload(ctx, upload.ID)
	if err != nil || upload.State == model.UploadDiscarded || upload.State == model.UploadFailed {
		return err
	}
	return model.InvalidField("status", "must be success: the upload was confirmed already").WithReason(model.ReasonEnded)
}
