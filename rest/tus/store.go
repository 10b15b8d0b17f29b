package tus

import (
	"context"
	"errors"
	"io"
	"net/http"

	tusd "github.com/tus/tusd/v2/pkg/handler"

	"portico/graph"
	"portico/model"
)

// requestKey is the context key of the *request.
type requestKey struct{}

// request is a request, and the upload of the caller that it is for. The context of its
// http.Request ends when the key is revoked.
type request struct {
	upload graph.ReceivingUpload
	http   *http.Request
}

// store implements the data store of tusd.
type store struct{ *door }

// NewUpload implements tusd.DataStore. Its request is never routed here.
func (store) NewUpload(context.Context, tusd.FileInfo) (tusd.Upload, error) {
	return nil, tusd.ErrNotImplemented
}

// GetUpload implements tusd.DataStore.
func (s store) GetUpload(ctx context.Context, id string) (tusd.Upload, error) {
	r, ok := ctx.Value(requestKey{}).(*request)
	if !ok || r.upload.Address() != id { // impossible: answer has set it
		return nil, tusd.ErrNotFound
	}
	return piece{s.door, r}, nil
}

// AsTerminatableUpload implements tusd.TerminaterDataStore.
func (store) AsTerminatableUpload(upload tusd.Upload) tusd.TerminatableUpload {
	return upload.(piece) //nolint:forcetypeassert // GetUpload makes no other
}

// AsConcatableUpload implements tusd.ConcaterDataStore.
func (store) AsConcatableUpload(upload tusd.Upload) tusd.ConcatableUpload {
	return upload.(piece) //nolint:forcetypeassert // GetUpload makes no other
}

// piece is an upload, or a part of it, in one request.
type piece struct {
	*door
	*request
}

// GetInfo implements tusd.Upload.
func (p piece) GetInfo(ctx context.Context) (tusd.FileInfo, error) {
	offset, err := p.Resolver.UploadOffset(ctx, p.upload)
	parts := p.upload.PartAddresses()
	isPart := p.upload.Part != nil
	return tusd.FileInfo{
		ID: p.upload.Address(), Size: p.upload.Length(), Offset: offset,
		IsPartial: isPart, IsFinal: !isPart && parts != nil, PartialUploads: parts,
	}, p.refusal(err)
}

// WriteChunk implements tusd.Upload.
func (p piece) WriteChunk(ctx context.Context, offset int64, src io.Reader) (int64, error) {
	if p.upload.State != model.UploadPending { // GetInfo returned the end, so there are no bytes
		return 0, nil
	}
	n, err := p.Resolver.AppendUpload(ctx, p.upload, offset, src)
	return n, p.refusal(err)
}

// FinishUpload implements tusd.Upload. The bytes become a file by completeUpload.
func (piece) FinishUpload(context.Context) error { return nil }

// GetReader implements tusd.Upload. Nobody reads an upload before it is a file.
func (piece) GetReader(context.Context) (io.ReadCloser, error) { return nil, tusd.ErrNotImplemented }

// ConcatUploads implements tusd.ConcatableUpload. The parts become a file by completeUpload.
func (piece) ConcatUploads(context.Context, []tusd.Upload) error { return tusd.ErrNotImplemented }

// Terminate implements tusd.TerminatableUpload.
func (p piece) Terminate(ctx context.Context) error {
	return p.refusal(p.Resolver.AbandonUpload(ctx, p.upload.Upload))
}

// refusal returns the error of tusd with which an error is answered: tusd would send the text
// of any other.
func (p piece) refusal(err error) error {
	if err == nil {
		return nil
	}
	if graph.IsOtherWriter(err) {
		return tusd.ErrFileLocked
	}
	e := model.AsError(err)
	switch {
	case errors.Is(err, context.Canceled) && p.http.Context().Err() != nil:
		e = &model.Error{Code: model.CodeUnauthenticated, Message: "The API key or the session has ended"}
	case e.Code == model.CodeInternal:
		p.Logger.Error("resumable upload", "method", p.http.Method, "error", err, "request_id", model.RequestID(p.http.Context()))
	}
	return tusd.NewError(string(e.Code), e.Message, e.Code.HTTPStatus())
}
