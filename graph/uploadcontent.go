package graph

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"portico/model"
	"portico/storage"
)

// statusFailed abandons an upload, as any status except StatusSuccess does.
const statusFailed = "failed"

// StoreUpload creates an upload, stores its content and confirms it, by the same rules as the three
// operations. It is for doors that have the bytes themselves. An empty ContentType is derived from
// the file's name. The content must have exactly FileSize bytes. If its size differs, or if it
// cannot be read, the upload is discarded and the reserved storage is free again.
func (r *Resolver) StoreUpload(ctx context.Context, in model.CreateUpload, content io.Reader) (*model.Confirmation, error) {
	if in.ContentType == "" {
		in.ContentType = storage.MediaType(in.FileName)
	}
	params, err := r.Mutation().CreateUpload(ctx, in)
	if err != nil {
		return nil, err
	}
	address, _, _ := strings.Cut(params.URL, "?")
	complete := model.CompleteUpload{Status: model.StatusSuccess, FileURL: address}
	if err := r.storeContent(ctx, in, address, content); err != nil {
		complete.Status = statusFailed
		// The storage is freed even if the client has disconnected.
		if _, discardErr := r.Mutation().CompleteUpload(context.WithoutCancel(ctx), complete); discardErr != nil {
			r.Logger.Warn("discard an upload that could not be stored", "file_name", in.FileName, "error", discardErr)
		}
		return nil, err
	}
	return r.Mutation().CompleteUpload(ctx, complete)
}

// storeContent stores the bytes at the upload's address.
func (r *Resolver) storeContent(ctx context.Context, in model.CreateUpload, address string, content io.Reader) error {
	key, ok := r.Store.KeyOf(address)
	if !ok { // impossible: the store created the address
		return fmt.Errorf("the store does not know its own address of %s", in.FileName)
	}
	_, err := r.Store.Put(ctx, key, &exactSizeReader{reader: content, remaining: int64(in.FileSize)})
	return err
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
