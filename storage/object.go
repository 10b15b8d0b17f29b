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
		return Object{}, fmt.Errorf("stat %s: %w", key, wrapNotFound(err))
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
	}{&cancelableReader{ctx, file}, file}, nil
}

// OpenReaderAt implements Store.
func (d *Disk) OpenReaderAt(_ context.Context, key string) (ReaderAtCloser, int64, error) {
	file, object, err := d.open(key)
	if err != nil {
		return nil, 0, err
	}
	return file, object.Size, nil
}

// open opens an object and describes the opened file. A separate Stat might describe
// another version.
func (d *Disk) open(key string) (*os.File, Object, error) {
	if err := CheckKey(key); err != nil {
		return nil, Object{}, err
	}
	file, err := d.root.Open(objectName(key))
	if err != nil {
		return nil, Object{}, fmt.Errorf("open %s: %w", key, wrapNotFound(err))
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotFound
	}
	if err != nil {
		// Nothing was written, so Close has nothing to report.
		_ = file.Close()
		return nil, Object{}, fmt.Errorf("open %s: %w", key, err)
	}
	return file, objectOf(key, info), nil
}

// objectOf describes a file. Files are never changed in place, so size and time, which seal
// sets to the nanosecond, are a strong validator.
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

// objectName returns the path of an object's file below the root.
func objectName(key string) string { return path.Join(objectsFolder, key) }

// wrapNotFound returns ErrNotFound for an error about a path that leads nowhere: no such name, a
// file in place of a folder, a name that is too long for this disk, a loop of links, or a
// link out of the folder. It returns every other error unchanged.
func wrapNotFound(err error) error {
	if isOutsideRoot(err) || isOneOf(err, fs.ErrNotExist, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.ELOOP) {
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return err
}

// isOutsideRoot reports whether err is the refusal of os.Root to leave the folder. The os package
// exports no such error, but it is the only error about a path without an errno.
func isOutsideRoot(err error) bool {
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
