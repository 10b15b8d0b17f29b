package tus

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	tusd "github.com/tus/tusd/v2/pkg/handler"

	"portico/graph"
	"portico/internal/semaphore"
	"portico/model"
)

// requestKey is the context key of the *request.
type requestKey struct{}

// request is a request with the upload of the caller that it names. The context of its http.Request
// ends when the key is revoked.
type request struct {
	received graph.ReceivingUpload
	http     *http.Request
	place    *semaphore.Place // of a PATCH
}

// store implements the data store of tusd.
type store struct{ *door }

// NewUpload implements tusd.DataStore. It is never called, because createUpload creates uploads.
func (store) NewUpload(context.Context, tusd.FileInfo) (tusd.Upload, error) {
	return nil, tusd.ErrNotImplemented
}

// GetUpload implements tusd.DataStore.
func (s store) GetUpload(ctx context.Context, id string) (tusd.Upload, error) {
	r, ok := ctx.Value(requestKey{}).(*request)
	if !ok || r.received.Address() != id { // impossible: serveMethod has set it
		return nil, tusd.ErrNotFound
	}
	return upload{s.door, r}, nil
}

// AsTerminatableUpload implements tusd.TerminaterDataStore.
func (store) AsTerminatableUpload(stored tusd.Upload) tusd.TerminatableUpload {
	return stored.(upload) //nolint:forcetypeassert // GetUpload makes no other
}

// AsConcatableUpload implements tusd.ConcaterDataStore.
func (store) AsConcatableUpload(stored tusd.Upload) tusd.ConcatableUpload {
	return stored.(upload) //nolint:forcetypeassert // GetUpload makes no other
}

// upload is the upload or part of one request. It implements tusd.Upload.
type upload struct {
	*door
	*request
}

// GetInfo implements tusd.Upload.
func (u upload) GetInfo(ctx context.Context) (tusd.FileInfo, error) {
	offset, err := u.Resolver.UploadOffset(ctx, u.received)
	parts := u.received.PartAddresses()
	isPart := u.received.Part != nil
	return tusd.FileInfo{
		ID: u.received.Address(), Size: u.received.Length(), Offset: offset,
		IsPartial: isPart, IsFinal: !isPart && parts != nil, PartialUploads: parts,
	}, u.tusError(err)
}

// WriteChunk implements tusd.Upload.
func (u upload) WriteChunk(ctx context.Context, offset int64, src io.Reader) (int64, error) {
	if u.received.State != model.UploadPending { // GetInfo returned the end, so there are no bytes
		return 0, nil
	}
	n, err := u.Resolver.AppendUpload(ctx, u.received, offset, progressReader{src, u.place})
	if n >= smallPiece || n > 0 && offset+n == u.received.Length() {
		u.small.Refund(u.received.UserID)
	}
	return n, u.tusError(err)
}

// progressReader counts the bytes of a PATCH as progress, and ends when its place gave way.
type progressReader struct {
	io.Reader
	place *semaphore.Place
}

// Read implements io.Reader.
func (r progressReader) Read(p []byte) (int, error) {
	if r.place.GaveWay() {
		return 0, semaphore.ErrGaveWay
	}
	n, err := r.Reader.Read(p)
	r.place.Progress(int64(n))
	return n, err
}

// FinishUpload implements tusd.Upload. It does nothing, because completeUpload makes the file.
func (upload) FinishUpload(context.Context) error { return nil }

// GetReader implements tusd.Upload. It is never called: an upload cannot be read before it is a
// file.
func (upload) GetReader(context.Context) (io.ReadCloser, error) { return nil, tusd.ErrNotImplemented }

// ConcatUploads implements tusd.ConcatableUpload. It is never called, because completeUpload makes
// the file.
func (upload) ConcatUploads(context.Context, []tusd.Upload) error { return tusd.ErrNotImplemented }

// Terminate implements tusd.TerminatableUpload.
func (u upload) Terminate(ctx context.Context) error {
	return u.tusError(u.Resolver.DiscardUpload(ctx, u.received.Upload))
}

// tusError returns an error as an error of tusd. tusd would send the text of other errors to the
// client.
func (u upload) tusError(err error) error {
	if err == nil {
		return nil
	}
	if graph.IsOtherWriter(err) {
		return tusd.ErrFileLocked
	}
	// The client sees that its key is revoked, not that a context was canceled.
	if cause := context.Cause(u.http.Context()); errors.Is(err, context.Canceled) && model.CodeOf(cause) == model.CodeUnauthenticated {
		err = cause
	}
	if errors.Is(err, semaphore.ErrGaveWay) { // the response is responseWriter's
		return tusd.ErrUploadInterrupted
	}
	e := model.AsError(err)
	model.LogFault(u.http.Context(), u.Logger, err, "door", "tus", "method", u.http.Method)
	refusal := tusd.NewError(string(e.Code), e.Message, e.HTTPStatus())
	if e.IsOutage() {
		refusal.HTTPResponse.Header["Retry-After"] = strconv.Itoa(model.RetrySeconds(e.RetryAfter))
	}
	return refusal
}
