package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"portico/storage"
)

// Stat implements storage.Store.
func (d *Store) Stat(_ context.Context, key string) (storage.Object, error) {
	if err := storage.CheckKey(key); err != nil {
		return storage.Object{}, err
	}
	info, err := d.root.Stat(objectName(key))
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return storage.Object{}, fmt.Errorf("stat %s: %w", key, wrapNotFound(err))
	}
	return objectOf(key, info), nil
}

// Open implements storage.Store.
func (d *Store) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	file, _, err := d.open(key)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{storage.NewSource(ctx, file), file}, nil
}

// OpenReaderAt implements storage.Store.
func (d *Store) OpenReaderAt(_ context.Context, key string) (storage.ReaderAtCloser, int64, error) {
	file, object, err := d.open(key)
	if err != nil {
		return nil, 0, err
	}
	return file, object.Size, nil
}

// LocalPath implements Local.
func (d *Store) LocalPath(ctx context.Context, key string) (string, error) {
	// Stat uses the root, so it does not find an object whose path leads out of the
	// folder by a link.
	if _, err := d.Stat(ctx, key); err != nil {
		return "", err
	}
	folder, err := filepath.Abs(d.root.Name())
	if err != nil {
		return "", fmt.Errorf("find object %s: %w", key, err)
	}
	return filepath.Join(folder, filepath.FromSlash(objectName(key))), nil
}

// open opens an object and describes the opened file. A separate Stat might describe
// another version.
func (d *Store) open(key string) (*os.File, storage.Object, error) {
	if err := storage.CheckKey(key); err != nil {
		return nil, storage.Object{}, err
	}
	file, err := d.root.Open(objectName(key))
	if err != nil {
		return nil, storage.Object{}, fmt.Errorf("open %s: %w", key, wrapNotFound(err))
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = storage.ErrNotFound
	}
	if err != nil {
		// Nothing was written, so Close has nothing to report.
		_ = file.Close()
		return nil, storage.Object{}, fmt.Errorf("open %s: %w", key, err)
	}
	return file, objectOf(key, info), nil
}

// objectOf describes a file. Files are never changed in place, so size and time, which seal
// sets to the nanosecond, are a strong validator.
func objectOf(key string, info fs.FileInfo) storage.Object {
	modified := info.ModTime().UTC()
	return storage.Object{
		Key:         key,
		Size:        info.Size(),
		ContentType: storage.MediaType(key),
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
	nowhere := []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.ELOOP}
	if isOutsideRoot(err) || slices.ContainsFunc(nowhere, func(target error) bool { return errors.Is(err, target) }) {
		return fmt.Errorf("%w: %w", storage.ErrNotFound, err)
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
