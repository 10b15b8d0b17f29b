package graph

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"portico/db"
	"portico/model"
	"portico/storage"
)

// CreateUpload promises a place for a file and tells where to send its bytes.
// What is promised counts as taken until the upload is confirmed, is given up,
// or has expired (contract, Uploads and jobs).
func (r mutationResolver) CreateUpload(ctx context.Context, in model.CreateUpload) (*model.UploadParams, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := in.Validate(r.Settings.Formats); err != nil {
		return nil, err
	}
	if int64(in.FileSize) > r.Settings.MaxFileSize {
		return nil, &model.Error{Code: model.CodeTooLarge, Message: fmt.Sprintf(
			"file_size is over the maximum of %d bytes", r.Settings.MaxFileSize)}
	}
	upload := model.NewUpload(c.UserID, in)
	// The store's signatures end at whole seconds, and so does the promise.
	upload.ExpiresAt = model.Time{Time: upload.CreatedAt.Add(r.Settings.UploadTTL).Truncate(time.Second)}
	if err := r.promise(ctx, upload); err != nil {
		return nil, err
	}
	return r.presign(ctx, upload)
}

// promise stores the upload if its owner has that much free. Of two uploads at
// once that fit only one by one, the second is refused.
func (r *Resolver) promise(ctx context.Context, upload *model.Upload) error {
	return r.DB.InTx(ctx, func(tx *db.DB) error {
		if err := reserve(ctx, tx, upload.UserID, upload.Size); err != nil {
			return err
		}
		return tx.AddUpload(ctx, upload)
	})
}

// reserve refuses bytes over what the user has free, and keeps others from
// taking them until the transaction ends.
func reserve(ctx context.Context, tx *db.DB, userID string, size int64) error {
	free, err := tx.LockStorage(ctx, userID)
	if err != nil {
		return err
	}
	return fits(size, free)
}

// fits refuses bytes that the storage has no room for.
func fits(size int64, in model.Storage) error {
	if size > in.Free() {
		return &model.Error{Code: model.CodeQuotaExceeded, Message: model.QuotaExceeded}
	}
	return nil
}

// presign tells where and how to send the bytes that were promised a place.
func (r *Resolver) presign(ctx context.Context, upload *model.Upload) (*model.UploadParams, error) {
	signed, err := r.Store.PresignPut(ctx, storage.Upload{
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
	// A map has no order, an answer should always be the same.
	slices.SortFunc(params.Headers, func(a, b model.Header) int { return strings.Compare(a.Name, b.Name) })
	return params, nil
}
