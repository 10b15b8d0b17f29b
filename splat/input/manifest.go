package input

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"portico/splat/folder"
)

// ReadManifest reads a whole file of at most limit bytes. A missing or larger file is
// an *Error, because the user or another file of the capture named it.
func ReadManifest(ctx context.Context, files folder.Reader, name string, limit int64) ([]byte, error) {
	f, err := files.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Errorf(name, "is missing").Advise("Upload the capture with all its files")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	if f.Size() > limit {
		return nil, Errorf(name, "is too large: it has %d bytes, at most %d can be read", f.Size(), limit)
	}
	data := make([]byte, f.Size())
	if err := folder.ReadFull(f, data, 0); err != nil {
		return nil, fmt.Errorf("read %s: %w", Quote(name), err)
	}
	return data, nil
}
