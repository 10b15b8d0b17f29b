package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"portico/splat/folder"
)

// ReadManifest reads a whole file of at most limit bytes. One that is not there
// or larger is an *Error, since another file or the user has named it.
func ReadManifest(ctx context.Context, files folder.Reader, name string, limit int64) ([]byte, error) {
	f, err := files.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Errorf(name, "is missing")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	if f.Size() > limit {
		return nil, Errorf(name, "has %d bytes; at most %d can be read", f.Size(), limit)
	}
	data := make([]byte, f.Size())
	if _, err := f.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", Quote(name), err)
	}
	return data, nil
}
