package graph

import (
	"cmp"
	"context"

	"portico/graph/access"
	"portico/model"
)

// UploadLimit is the maximum size of a file that the caller can upload now.
//
// It is a hint: another request may use the storage before the upload is created.
type UploadLimit struct {
	// MaxFileSize is the maximum file size of the server, in bytes.
	MaxFileSize int64
	// Storage is how many bytes the account uses, and how many it may.
	Storage model.Storage
}

// UploadLimit reads the caller's storage. It needs a key.
func (r *Resolver) UploadLimit(ctx context.Context) (UploadLimit, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return UploadLimit{}, err
	}
	account, err := r.Storage(ctx, c.UserID)
	if err != nil {
		return UploadLimit{}, err
	}
	return UploadLimit{MaxFileSize: r.settings.MaxFileSize, Storage: *account}, nil
}

// Bytes returns the maximum size in bytes.
func (l UploadLimit) Bytes() int64 { return min(l.Storage.Free(), l.MaxFileSize) }

// Check refuses a file of this size as CreateUpload does.
func (l UploadLimit) Check(size int64) error {
	return cmp.Or(checkFileSize(size, l.MaxFileSize), checkFree(size, l.Storage))
}

// CheckFileName refuses the name of a file as CreateUpload does. The other fields may be unknown
// yet.
func (r *Resolver) CheckFileName(in model.CreateUpload) error {
	return in.CheckFileName(r.settings.Formats)
}
