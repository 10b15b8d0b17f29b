package lcc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"portico/splat/folder"
	"portico/splat/input"
)

// open opens a file that the capture cannot do without.
func open(ctx context.Context, files folder.Reader, name string) (folder.File, error) {
	f, err := openOptional(ctx, files, name)
	if f == nil && err == nil {
		err = input.Errorf(name, "is missing, and the LCC capture needs it")
	}
	return f, err
}

// openOptional returns nil for a file that is not there. Exporters write all names
// in small letters; the white paper begins them with a capital.
func openOptional(ctx context.Context, files folder.Reader, name string) (folder.File, error) {
	f, err := files.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = files.Open(ctx, strings.ToUpper(name[:1])+name[1:])
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wrap(err, name)
	}
	return f, nil
}

// readAt fills p. That a file is shorter than it was when it was opened is not
// the user's fault, so an early end is no *input.Error.
func readAt(f folder.File, p []byte, offset int64, name string) error {
	n, err := f.ReadAt(p, offset)
	switch {
	case n == len(p):
		return nil
	case err == nil || err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return wrap(err, name)
}

// wrap says which file an error of ours is about.
func wrap(err error, name string) error { return fmt.Errorf("read %s: %w", name, err) }
