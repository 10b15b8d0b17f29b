package graph

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/internal/background"
	"portico/model"
	"portico/storage"
)

// StoreUpload creates an upload, stores its content and confirms it, by the same rules as the three
// operations. It is for doors that have the bytes themselves. An empty ContentType is derived from
// the file's name. The content must have exactly FileSize bytes. If its size differs, or if it
// cannot be read, stored or confirmed, the upload is discarded and the reserved storage is free
// again. It is kept if the responses to the confirmation were lost, because it may be confirmed. If
// the end of ctx is the reason of a discard, the error wraps its cause.
//
// Settings.MaxPutSize does not limit it: the store divides the content into requests of its own.
func (r *Resolver) StoreUpload(ctx context.Context, in model.CreateUpload, content io.Reader) (*model.Confirmation, error) {
	if in.ContentType == "" {
		in.ContentType = storage.MediaType(in.FileName)
	}
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.checkUpload(in); err != nil {
		return nil, err
	}
	upload, err := r.addUpload(ctx, c, in)
	if err != nil {
		return nil, err
	}
	confirmation, err := r.putAndConfirm(ctx, upload, content)
	if err == nil || db.MayBeCommitted(err) {
		return confirmation, err
	}
	discarding, cancel := discardContext(ctx)
	defer cancel()
	if discardErr := r.discard(discarding, upload); discardErr != nil {
		r.logger.Warn("discard an upload that could not be stored", "file_name", in.FileName, "error", discardErr)
	}
	if ctx.Err() != nil && model.CodeOf(err) == model.CodeInternal {
		return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return nil, err
}

// discardTimeout limits the discard of an upload that failed, and the deletions of each row and of
// all objects of a change set that failed. After this time no deletion follows one that failed. A
// store or a database that does not respond must not keep the request waiting, and with it the end
// of the process or the slot of a change set: the recorded removals delete the bytes later.
const discardTimeout = 30 * time.Second

// discardContext returns the context of a discard. The storage is freed even if the client has
// disconnected.
func discardContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
}

// putAndConfirm stores the content of an upload and confirms the upload. If the response to the
// commit is lost, it confirms once more.
func (r *Resolver) putAndConfirm(ctx context.Context, upload *model.Upload, content io.Reader) (*model.Confirmation, error) {
	if err := r.putReserved(ctx, upload, &exactSizeReader{reader: content, remaining: upload.Size}); err != nil {
		return nil, r.storeError(err)
	}
	complete := model.CompleteUpload{Status: model.StatusSuccess, FileURL: r.store.PublicURL(upload.StorageKey())}
	confirmation, err := r.Mutation().CompleteUpload(ctx, complete)
	if !db.MayBeCommitted(err) {
		return confirmation, err
	}
	// A repeated confirmation gets the response that was lost, or confirms the upload after all.
	if repeated, repeatErr := r.Mutation().CompleteUpload(ctx, complete); repeatErr == nil {
		return repeated, nil
	}
	return nil, err
}

// putReserved stores the content of an upload, and keeps the storage reserved meanwhile. The
// content may be a download that takes longer than the reservation, and the store may need minutes
// for the last bytes.
func (r *Resolver) putReserved(ctx context.Context, upload *model.Upload, content io.Reader) error {
	return r.reserved(ctx, upload, func(ctx context.Context) error {
		_, err := r.store.Put(ctx, upload.StorageKey(), content)
		return err
	})
}

// reserved calls store, and keeps the storage of the upload reserved meanwhile. If the upload is
// discarded meanwhile, the context of store ends.
func (r *Resolver) reserved(ctx context.Context, upload *model.Upload, store func(context.Context) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	var extender background.Group
	defer extender.Stop()
	extender.Go(func(stopped context.Context) { r.extendReservation(stopped, upload, end) })
	err := store(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errNotPending) {
		return model.NotFound(model.UploadNotFound)
	}
	return err
}

// extendInterval is the interval at which the reservation of an upload is extended, each time to
// two minutes from then, so one or two extensions in a row may fail.
const extendInterval = 30 * time.Second

// extendReservation extends the reservation of an upload until ctx ends. It calls end if the upload
// is no longer pending. A database that restarts does not end the upload: the confirmation after
// the last byte decides.
func (r *Resolver) extendReservation(ctx context.Context, upload *model.Upload, end func(error)) {
	log, outage := r.logger.With("upload_id", upload.ID), background.OutageLog{}
	for {
		background.Pause(ctx, min(extendInterval, r.settings.UploadTTL/2))
		isPending, err := r.db.Uploads().ExtendReservation(ctx, upload.StorageKey())
		if ctx.Err() != nil {
			return
		}
		outage.Record(log, err, "extend the reservation of an upload", "the reservation of an upload is extended again")
		if err == nil && !isPending {
			end(errNotPending)
			return
		}
	}
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
