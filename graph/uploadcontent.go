package graph

import (
	"context"
	"errors"
	"io"
	"time"

	"portico/db"
	"portico/model"
	"portico/storage"
)

// statusFailed abandons an upload, as any status except StatusSuccess does.
const statusFailed = "failed"

// StoreUpload creates an upload, stores its content and confirms it, by the same rules as the three
// operations. It is for doors that have the bytes themselves. An empty ContentType is derived from
// the file's name. The content must have exactly FileSize bytes. If its size differs, or if it
// cannot be read, stored or confirmed, the upload is discarded and the reserved storage is free
// again. It is kept if the answer to the confirmation's commit was lost.
//
// Settings.MaxPutSize does not limit it: the store divides the content into requests of its own.
func (r *Resolver) StoreUpload(ctx context.Context, in model.CreateUpload, content io.Reader) (*model.Confirmation, error) {
	if in.ContentType == "" {
		in.ContentType = storage.MediaType(in.FileName)
	}
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.checkUpload(in); err != nil {
		return nil, err
	}
	upload, err := r.addUpload(ctx, c.UserID, in)
	if err != nil {
		return nil, err
	}
	complete := model.CompleteUpload{Status: model.StatusSuccess, FileURL: r.Store.PublicURL(upload.StorageKey())}
	held := &holdingReader{reader: content, hold: func() error { return r.holdUpload(ctx, upload) }}
	source := &exactSizeReader{reader: held, remaining: upload.Size}
	confirmation, err := r.putAndConfirm(ctx, upload.StorageKey(), source, complete)
	if err == nil || db.MayBeCommitted(err) {
		return confirmation, err
	}
	complete.Status = statusFailed
	// The storage is freed even if the client has disconnected.
	if _, discardErr := r.Mutation().CompleteUpload(context.WithoutCancel(ctx), complete); discardErr != nil {
		r.Logger.Warn("discard an upload that could not be stored", "file_name", in.FileName, "error", discardErr)
	}
	return nil, err
}

// putAndConfirm stores the content of an upload and confirms the upload.
func (r *Resolver) putAndConfirm(ctx context.Context, key string, content io.Reader, complete model.CompleteUpload) (*model.Confirmation, error) {
	if _, err := r.Store.Put(ctx, key, content); err != nil {
		return nil, r.storeError(err)
	}
	return r.Mutation().CompleteUpload(ctx, complete)
}

// holdUpload extends the promise of storage of an upload. It refuses an upload that is not pending
// any more.
func (r *Resolver) holdUpload(ctx context.Context, upload *model.Upload) error {
	isPending, err := r.DB.HoldForUpload(ctx, upload.StorageKey())
	if err == nil && !isPending {
		err = model.NotFound(model.UploadNotFound)
	}
	return err
}

// holdInterval is the interval at which the promise of storage is extended, each time for two
// minutes.
const holdInterval = time.Minute

// holdingReader calls hold while content is read. The content may be a download that takes longer
// than uploads are promised their storage.
type holdingReader struct {
	reader io.Reader
	hold   func() error
	next   time.Time // of the next call of hold
}

// Read implements io.Reader.
func (h *holdingReader) Read(p []byte) (int, error) {
	if now := time.Now(); !now.Before(h.next) {
		if err := h.hold(); err != nil {
			return 0, err
		}
		h.next = now.Add(holdInterval)
	}
	return h.reader.Read(p)
}

// errContentSize refuses content whose size differs from FileSize.
var errContentSize = model.InvalidField("file_size", "must be the number of bytes that are sent")

// exactSizeReader reads content of a known size, and fails when it has more or fewer
// bytes.
//
// The store reads up to its end, so it notices both too few and too many bytes.
type exactSizeReader struct {
	reader    io.Reader
	remaining int64
}

// Read implements io.Reader.
func (e *exactSizeReader) Read(p []byte) (int, error) {
	n, err := e.reader.Read(p)
	e.remaining -= int64(n)
	if e.remaining < 0 || (e.remaining > 0 && errors.Is(err, io.EOF)) {
		return n, errContentSize
	}
	return n, err
}
