package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"syscall"
)

// Stat implements Store.
func (d *Disk) Stat(_ context.Context, key string) (Object, error) {
	if err := CheckKey(key); err != nil {
		return Object{}, err
	}
	info, err := d.root.Stat(objectName(key))
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return Object{}, fmt.Errorf("stat %s: %w", key, missing(err))
	}
	return objectOf(key, info), nil
}

// Open implements Store.
func (d *Disk) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	file, _, err := d.open(key)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{&source{ctx, file}, file}, nil
}

// OpenReaderAt implements Store.
func (d *Disk) OpenReaderAt(_ context.Context, key string) (ReaderAtCloser, int64, error) {
	file, object, err := d.open(key)
	if err != nil {
		return nil, 0, err
	}
	return file, object.Size, nil
}

// open opens an object and describes what was opened, which a Stat before or
// after might not.
func (d *Disk) open(key string) (*os.File, Object, error) {
	if err := CheckKey(key); err != nil {
		return nil, Object{}, err
	}
	file, err := d.root.Open(objectName(key))
	if err != nil {
		return nil, Object{}, fmt.Errorf("open %s: %w", key, missing(err))
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotFound
	}
	if err != nil {
		// Nothing was written: closing has nothing to report.
		_ = file.Close()
		return nil, Object{}, fmt.Errorf("open %s: %w", key, err)
	}
	return file, objectOf(key, info), nil
}

// objectOf describes a file. Files are never written in place, so size and
// time, set to the nanosecond by seal, are a strong validator.
func objectOf(key string, info fs.FileInfo) Object {
	modified := info.ModTime().UTC()
	return Object{
		Key:         key,
		Size:        info.Size(),
		ContentType: MediaType(key),
		ETag: `"` + strconv.FormatInt(modified.UnixNano(), 36) + "-" +
			strconv.FormatInt(info.Size(), 36) + `"`,
		ModifiedAt: modified,
	}
}

func objectName(key string) string { return path.Join(objectsFolder, key) }

// missing turns the errors for a path that leads nowhere into ErrNotFound: no
// such name, a file where a folder should be, a name too long for this disk,
// a circle of links, and a link out of the folder.
func missing(err error) error {
	if escapes(err) || isOneOf(err, fs.ErrNotExist, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.ELOOP) {
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return err
}

// escapes tells os.Root's refusal to leave the folder. It has no name to test
// for, but is the only error of a path that the system has no number for.
func escapes(err error) bool {
	_, ofPath := errors.AsType[*fs.PathError](err)
	_, ofSystem := errors.AsType[syscall.Errno](err)
	return ofPath && !ofSystem && !errors.Is(err, fs.ErrClosed)
}

func isOneOf(err error, targets ...error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
