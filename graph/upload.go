package graph

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/model"
	"portico/storage"
)

// CreateUpload reserves storage for a file and returns the request with which the client sends the
// bytes. The storage stays reserved until the upload is confirmed, discarded or expired.
//
// The checks in their order: the format (400), the file size (413), the free storage (507).
//
// The row is stored before the URL is signed. If signing fails, the storage stays reserved until
// the upload expires.
func (r Mutations) CreateUpload(ctx context.Context, in model.CreateUpload) (*model.UploadParams, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(r.checkUpload(in), r.checkPutSize(in)); err != nil {
		return nil, err
	}
	upload, err := r.addUpload(ctx, c, in)
	if err != nil {
		return nil, err
	}
	if in.Resumable {
		if err := r.startParts(ctx, upload); err != nil {
			return nil, fmt.Errorf("start upload %s: %w", upload.ID, err)
		}
		return r.resumableParams(upload), nil
	}
	return r.presign(ctx, upload)
}

// checkUpload refuses a file that is invalid, or larger than the operator allows.
func (r *Resolver) checkUpload(in model.CreateUpload) error {
	if err := in.Validate(r.settings.Formats); err != nil {
		return err
	}
	return checkFileSize(int64(in.FileSize), r.settings.MaxFileSize)
}

// checkFileSize refuses a file that is larger than the operator allows.
func checkFileSize(size, maximum int64) error {
	if size > maximum {
		return fileTooLarge("file_size is over the maximum of %d bytes", maximum)
	}
	return nil
}

// checkPutSize refuses a file that is larger than the store accepts in one presigned PUT.
func (r *Resolver) checkPutSize(in model.CreateUpload) error {
	if limit := r.settings.MaxPutSize; !in.Resumable && limit > 0 && int64(in.FileSize) > limit {
		return fileTooLarge("file_size is over the maximum of %d bytes of one request: use a resumable upload", limit)
	}
	return nil
}

// fileTooLarge returns the refusal of a file that is larger than limit bytes. format has a %d for
// the limit.
func fileTooLarge(format string, limit int64) error {
	return model.TooLargef(format, limit).WithField("file_size").WithReason(model.ReasonFileTooLarge)
}

// addUpload stores a valid upload and reserves its storage.
func (r *Resolver) addUpload(ctx context.Context, c *model.Caller, in model.CreateUpload) (*model.Upload, error) {
	upload := r.newUpload(c, in)
	return upload, r.db.InTx(ctx, func(tx *db.DB) error { return reserveUpload(ctx, tx, upload) })
}

// newUpload returns the upload of a valid input.
func (r *Resolver) newUpload(c *model.Caller, in model.CreateUpload) *model.Upload {
	upload, lifetime := model.NewUpload(c.UserID, in), r.settings.UploadTTL
	upload.KeyID = c.KeyID
	if in.Resumable {
		lifetime = model.ResumableLifetime
	}
	// The signatures of the store expire at whole seconds, so the reservation does too.
	upload.ExpiresAt = model.Time{Time: upload.CreatedAt.Add(lifetime).Truncate(time.Second)}
	return upload
}

// reserveUpload stores the upload if its owner has enough free storage. Of two concurrent
// uploads that do not both fit, the second is refused.
func reserveUpload(ctx context.Context, tx *db.DB, upload *model.Upload) error {
	if err := reserve(ctx, tx, upload.UserID, upload.Size); err != nil {
		return err
	}
	if err := tx.Keys().CheckAccess(ctx); err != nil {
		return err
	}
	return tx.Uploads().AddUpload(ctx, upload)
}

// reserve refuses more bytes than the user has free. No other transaction can use the free bytes
// until this one ends.
func reserve(ctx context.Context, tx *db.DB, userID string, size int64) error {
	account, err := tx.Accounts().LockStorage(ctx, userID)
	if err != nil {
		return err
	}
	return checkFree(size, account)
}

// checkFree refuses more bytes than are free.
func checkFree(size int64, account model.Storage) error {
	if size > account.Free() {
		return model.StorageFull()
	}
	return nil
}

// presign returns the request that sends the bytes of the upload.
func (r *Resolver) presign(ctx context.Context, upload *model.Upload) (*model.UploadParams, error) {
	signed, err := r.store.PresignPut(ctx, storage.Upload{
		Key: upload.StorageKey(), ContentType: upload.ContentType,
		Size: upload.Size, Expires: upload.ExpiresAt.Time,
	})
	if err != nil {
		return nil, fmt.Errorf("presign upload %s: %w", upload.ID, err)
	}
	params := &model.UploadParams{URL: signed.URL, Method: signed.Method, ExpiresAt: upload.ExpiresAt}
	for name, value := range signed.Headers {
		params.Headers = append(params.Headers, model.Header{Name: name, Value: value})
	}
	// A map has no order, but equal requests should get equal responses.
	slices.SortFunc(params.Headers, func(a, b model.Header) int { return strings.Compare(a.Name, b.Name) })
	return params, nil
}
