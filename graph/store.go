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

// statusFailed gives an upload up: any status but StatusSuccess does.
const statusFailed = "failed"

// StoreUpload does in one call what a client does in three: it asks for a place,
// puts the bytes of content there and confirms them. It is for doors that have
// the bytes themselves, and by the same rules as for every upload. An empty
// ContentType is chosen by the file's name. The content must have FileSize bytes
// exactly; when it has not, or cannot be read, nothing of it is kept and its
// promised storage is free again.
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
	if err := r.putUpload(ctx, in, address, content); err != nil {
		complete.Status = statusFailed
		// Whoever has left in the meantime still gets the storage back.
		_, discarded := r.Mutation().CompleteUpload(context.WithoutCancel(ctx), complete)
		return nil, errors.Join(err, discarded)
	}
	return r.Mutation().CompleteUpload(ctx, complete)
}

// putUpload puts the bytes where the address says that they are expected.
func (r *Resolver) putUpload(ctx context.Context, in model.CreateUpload, address string, content io.Reader) error {
	key, ok := r.Store.KeyOf(address)
	if !ok { // cannot be: the store made the address
		return fmt.Errorf("the store does not know its own address of %s", in.FileName)
	}
	_, err := r.Store.Put(ctx, key, &exact{reader: content, left: int64(in.FileSize)})
	return err
}

// errSize refuses content that is not as long as was said.
var errSize = model.Invalidf("file_size must be the number of bytes that are sent")

// exact reads what has a known number of bytes, and fails where it has more or
// fewer.
type exact struct {
	reader io.Reader
	left   int64
}

// Read implements io.Reader.
func (e *exact) Read(p []byte) (int, error) {
	n, err := e.reader.Read(p)
	e.left -= int64(n)
	if e.left < 0 || (e.left > 0 && errors.Is(err, io.EOF)) {
		return n, errSize
	}
	return n, err
}
