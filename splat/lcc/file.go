package lcc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"portico/splat/folder"
	"portico/splat/input"
)

// open opens a file that every capture has. A missing one is a fault of the capture.
func open(ctx context.Context, files folder.Reader, name string) (folder.File, error) {
	f, err := openOptional(ctx, files, name)
	if f == nil && err == nil {
		err = input.Errorf(name, "is missing, and every LCC capture needs it").Advise("Upload the whole folder of the capture")
	}
	return f, err
}

// openOptional opens a file, or returns nil if it is missing. Exporters write names in lower
// case; the white paper starts them with a capital.
func openOptional(ctx context.Context, files folder.Reader, name string) (folder.File, error) {
	f, err := files.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = files.Open(ctx, strings.ToUpper(name[:1])+name[1:])
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, readError(err, name)
	}
	return f, nil
}

// readAt fills p. A file that is shorter than its Size is an internal error, not the
// user's fault.
func readAt(f folder.File, p []byte, offset int64, name string) error {
	if err := folder.ReadFull(f, p, offset); err != nil {
		return readError(err, name)
	}
	return nil
}

// readError adds the name of the file to an internal error.
func readError(err error, name string) error { return fmt.Errorf("read %s: %w", name, err) }
