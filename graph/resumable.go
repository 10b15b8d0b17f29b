package graph

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"portico/internal/background"
	"portico/internal/semaphore"
	"portico/model"
	"portico/storage"
)

// ResumablePath is the path below which resumable uploads are sent.
const ResumablePath = "/uploads/"

// The refusals of AppendUpload, which the tus door sends as 409 and 423.
var (
	errOtherOffset = &model.Error{Code: model.CodeConflict, Message: "The upload has a different number of bytes. Ask for its offset and continue there"}
	errOtherWriter = &model.Error{Code: model.CodeConflict, Message: "Another request is sending bytes of this upload"}
)

// IsOtherWriter reports whether AppendUpload refused its bytes because another request
// appends to the upload.
func IsOtherWriter(err error) bool { return errors.Is(err, errOtherWriter) }

func (r *Resolver) resumableURL(id string) string { return r.settings.WebURL + ResumablePath + id }

// resumableParams returns the request that appends to the upload, or to each of its parts.
func (r *Resolver) resumableParams(upload *model.Upload) *model.UploadParams {
	parts := upload.PartRanges()
	for i := range parts {
		parts[i].URL = r.resumableURL(partAddress(upload, &parts[i]))
	}
	return &model.UploadParams{
		Parts: parts,
		URL:   r.resumableURL(upload.ID), Method: "PATCH", ExpiresAt: upload.ExpiresAt,
		Headers: []model.Header{{Name: "Content-Type", Value: "application/offset+octet-stream"}, {Name: "Tus-Resumable", Value: "1.0.0"}},
	}
}

// UploadOffset returns how many bytes of the upload or part are stored: all of them after the
// upload was confirmed. An upload that was discarded is not found.
//
// It is the response to HEAD (tus 1.0.0, core protocol).
func (r *Resolver) UploadOffset(ctx context.Context, upload ReceivingUpload) (int64, error) {
	switch {
	case upload.State == model.UploadConfirmed, upload.State == model.UploadProcessing:
		return upload.Length(), nil
	case upload.State != model.UploadPending:
		return 0, model.NotFound(model.UploadNotFound)
	}
	offset, err := r.appended(ctx, upload)
	if err != nil || offset > 0 {
		return offset, err
	}
	// CompleteUpload may have assembled the file without confirming it.
	object, err := r.store.Stat(ctx, upload.StorageKey())
	if errors.Is(err, storage.ErrNotFound) {
		return 0, nil
	}
	return min(object.Size, upload.Length()), err
}

// AppendUpload appends content to the upload or part after its first offset bytes, and returns how
// many bytes it has stored. These bytes stay stored after an error, so that the client can continue
// after them. It reads no more bytes than were reserved. Only one request appends to each part at a
// time, in all processes together: see IsOtherWriter.
//
// The bytes are read from the request and written to the store as they arrive. An error in the
// middle is normal: the client asks for the offset and continues there.
func (r *Resolver) AppendUpload(ctx context.Context, upload ReceivingUpload, offset int64, content io.Reader) (stored int64, err error) {
	lease := &uploadLease{resolver: r, upload: upload, writer: model.Token(), ctx: ctx}
	if err := lease.acquire(); err != nil {
		return 0, err
	}
	defer func() {
		if exists := lease.release(); !exists && err == nil {
			err = model.NotFound(model.UploadNotFound)
		}
	}()
	lease.content = io.LimitReader(content, upload.Length()-offset)
	stored, err = r.appendTo(ctx, upload, offset, lease)
	switch {
	case errors.Is(err, storage.ErrOffset):
		return stored, errOtherOffset
	case errors.Is(err, storage.ErrNotFound): // it was confirmed or discarded in the meantime
		return stored, errors.Join(model.NotFound(model.UploadNotFound), err)
	}
	return stored, r.storeError(err)
}

// leaseInterval is how often a lease is renewed. A lease is longer than three intervals, so one
// slow renewal does not lose it.
const leaseInterval = 5 * time.Second

// uploadLease reads the content of a request as long as the request has the lease of the upload:
// the right to append to it.
//
// Two requests that append to one upload at the same time would mix their bytes. A client that
// reconnects often does so before the server has noticed the end of its first request. So nothing
// renews the lease while Read waits for the client. While the store stores what was read, keep
// does: the next request must not start before, because the store would write both.
type uploadLease struct {
	resolver *Resolver
	upload   ReceivingUpload
	writer   string
	ctx      context.Context //nolint:containedctx // of the request whose body it reads
	content  io.Reader

	keeper  background.Group // keep; release stops it
	reading atomic.Bool      // whether Read waits for the client

	mu      sync.Mutex
	renewed time.Time // when the last renewal that succeeded started
}

// Read implements io.Reader. It renews the lease after it has read, because a read may have
// waited longer than the lease.
//
// Losing the lease ends the request: another request appends now. The store then keeps none of the
// bytes that are still in memory.
func (l *uploadLease) Read(p []byte) (int, error) {
	l.reading.Store(true)
	n, err := l.content.Read(p)
	l.reading.Store(false)
	if refused := l.renewOld(leaseInterval); refused != nil {
		return 0, errors.Join(refused, storage.ErrOtherAppend)
	}
	return n, err
}

// acquire acquires the lease and starts keep. The caller releases the lease if it gets no error.
func (l *uploadLease) acquire() error {
	if err := l.renewOld(0); err != nil {
		return err
	}
	l.keeper.Go(l.keep)
	return nil
}

// keep renews the lease until it is released.
func (l *uploadLease) keep(released context.Context) {
	ticker := time.NewTicker(leaseInterval)
	defer ticker.Stop()
	for {
		select {
		case <-released.Done():
			return
		case <-ticker.C:
			l.renewForStore()
		}
	}
}

// renewForStore renews the lease if the store is working. Read returns the error of the next
// renewal.
func (l *uploadLease) renewForStore() {
	if !l.reading.Load() {
		_ = l.renewOld(0)
	}
}

// renewOld renews the lease if the last renewal is older than age.
func (l *uploadLease) renewOld(age time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	started := time.Now()
	if started.Sub(l.renewed) <= age {
		return nil
	}
	if err := l.renew(); err != nil {
		return err
	}
	l.renewed = started
	return nil
}

// renew acquires or extends the lease, even after the client has disconnected: the store needs it
// for the bytes that have arrived.
func (l *uploadLease) renew() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), leaseInterval)
	defer cancel()
	acquired, err := l.resolver.acquireLease(ctx, l.upload, l.writer)
	if err != nil || acquired {
		return err
	}
	receiving, err := l.resolver.db.Uploads().IsReceiving(ctx, l.upload.ID)
	if err != nil {
		return err
	}
	if !receiving {
		return model.NotFound(model.UploadNotFound)
	}
	return errOtherWriter
}

// release releases the lease, even after the client has disconnected, and reports whether the
// upload exists. If the upload was discarded in the meantime, release deletes the appended bytes:
// the discarding request did not see them.
//
// It only logs its errors: the response to the client is whether the bytes were stored, and a lease
// ends by itself. A store that does not answer must not keep the request, and with it the end of
// the process, waiting. The recorded removal of the upload deletes the bytes later.
func (l *uploadLease) release() (exists bool) {
	l.keeper.Stop() // a later renewal would acquire the lease again
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), leaseInterval)
	defer cancel()
	exists, err := l.resolver.releaseLease(ctx, l.upload, l.writer)
	if err != nil {
		l.resolver.logger.Warn("release an upload", "upload_id", l.upload.ID, "error", err)
		return true
	}
	if exists {
		return true
	}
	if err := l.resolver.store.Delete(ctx, l.upload.StorageKey()); err != nil {
		l.resolver.logger.Warn("delete the bytes of a discarded upload", "upload_id", l.upload.ID, "error", err)
	}
	return false
}

// DiscardUpload discards an upload of ReceivingUpload with all its parts. It refuses a confirmed
// upload.
func (r *Resolver) DiscardUpload(ctx context.Context, upload *model.Upload) error {
	return r.discard(ctx, upload)
}

// assemble stores the appended bytes of a resumable upload as one object.
//
// It may run twice, when two requests confirm the upload: both produce the same object, or the
// second finds nothing while the first runs. See ensurePendingStored.
func (r *Resolver) assemble(ctx context.Context, upload *model.Upload) error {
	var err error
	if parts := upload.PartRanges(); parts != nil {
		err = r.store.AssembleParts(ctx, upload.StorageKey(), parts)
	} else {
		err = r.store.Assemble(ctx, upload.StorageKey(), upload.Size)
	}
	if errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrIncomplete) {
		return model.NotFound(model.UploadNotFound)
	}
	if err != nil {
		return r.storeError(fmt.Errorf("assemble upload %s: %w", upload.ID, err))
	}
	return nil
}

// The limits of requests that send bytes of uploads in pieces.
const (
	// maxSendingPerAccount and maxSending are the maximum numbers of requests of an account, and of
	// all accounts, that send bytes at the same time.
	maxSendingPerAccount, maxSending = 8, 48
	// A request that sends less than minSendingRate bytes per second, on average after sendingGrace,
	// gives its place to others that want it. Where all are faster, the account that has most places
	// does.
	minSendingRate = 8 << 10
	sendingGrace   = 20 * time.Second
)

// NewSendingRoom returns the room in which requests send bytes of uploads in pieces. The doors that
// receive them share one: with a bucket each request takes 8 MiB of memory.
func NewSendingRoom() *semaphore.Room {
	return &semaphore.Room{Share: maxSendingPerAccount, Size: maxSending, Floor: minSendingRate, Grace: sendingGrace, Fair: true}
}
