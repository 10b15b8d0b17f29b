package input

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// File is random access to one file. ReadAt may be called from several
// goroutines at once.
type File interface {
	io.ReaderAt
	io.Closer
	// Size is the file's length in bytes.
	Size() int64
}

// Folder opens the files of one capture by their clean, slash-separated names
// relative to it. A name that is not there is fs.ErrNotExist. The context bounds
// the opening and, where files are far away, every read of the opened file.
type Folder interface {
	Open(ctx context.Context, name string) (File, error)
}

// Directory is a Folder on this machine. Nothing outside of it can be reached
// by a name, links included.
type Directory struct{ root *os.Root }

// OpenDirectory opens the directory at the path. Close it when no file of it is
// to be opened any more.
func OpenDirectory(path string) (*Directory, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Directory{root}, nil
}

// Close closes the directory; opened files stay open.
func (d *Directory) Close() error { return d.root.Close() }

// Open opens a regular file of the directory. Manifests name files as they like: a
// name that no file can have, that leads out, or that something else has, is not
// there. Only a link that leads out is another error: no manifest makes those.
func (d *Directory) Open(_ context.Context, name string) (File, error) {
	absent := &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) {
		return nil, absent
	}
	// Without O_NONBLOCK, to open a pipe is to wait for who writes into it.
	f, err := d.root.OpenFile(local, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if isNoName(err) {
		return nil, absent
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = absent
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &localFile{File: f, size: info.Size()}, nil
}

// isNoName tells whether a file could not be opened for its name: one that is too
// long, has a NUL, or goes on behind a file.
func isNoName(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENAMETOOLONG, syscall.EINVAL, syscall.ENOTDIR}, func(reason error) bool {
		return errors.Is(err, reason)
	})
}

// localFile is a File on this machine.
type localFile struct {
	*os.File
	size int64
}

// Size returns the length that the file had when it was opened.
func (f *localFile) Size() int64 { return f.size }

// Memory is a Folder held in memory: small captures and tests.
type Memory map[string][]byte

// Open opens a file of the folder.
func (m Memory) Open(_ context.Context, name string) (File, error) {
	content, ok := m[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return memoryFile{bytes.NewReader(content)}, nil
}

// memoryFile is a File of a Memory.
type memoryFile struct{ *bytes.Reader }

// Close does nothing: the bytes are the folder's.
func (memoryFile) Close() error { return nil }

// ReadManifest reads a whole file of at most limit bytes. One that is not there
// or larger is an *Error, since another file or the user has named it.
func ReadManifest(ctx context.Context, folder Folder, name string, limit int64) ([]byte, error) {
	f, err := folder.Open(ctx, name)
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
