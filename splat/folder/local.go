package folder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"
)

// copyBufferSize is how many bytes Put copies at a time. It is large, so that a data.bin of
// gigabytes needs few system calls.
const copyBufferSize = 256 << 10

// Local is a Reader and a Writer on this machine. No name reaches anything outside
// the directory, not even through a link.
type Local struct{ root *os.Root }

// OpenLocal opens the directory at path, which must exist. The caller closes it
// after the last Open or Put.
func OpenLocal(path string) (*Local, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Local{root}, nil
}

// Close closes the directory. Files that are already open stay open.
func (l *Local) Close() error { return l.root.Close() }

// Open opens a regular file. A manifest may contain any name, so a name that is impossible,
// leads outside, or belongs to a folder or a device returns fs.ErrNotExist. A link that leads
// outside returns another error: no exporter creates one.
func (l *Local) Open(_ context.Context, name string) (File, error) {
	absent := &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) {
		return nil, absent
	}
	// Without O_NONBLOCK, opening a named pipe would wait for its writer.
	f, err := l.root.OpenFile(local, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if isImpossibleName(err) {
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

// isImpossibleName reports whether opening failed because of the name itself: it is
// too long, contains a NUL or treats a file as a folder.
func isImpossibleName(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENAMETOOLONG, syscall.EINVAL, syscall.ENOTDIR}, func(reason error) bool {
		return errors.Is(err, reason)
	})
}

// Put implements Writer. It creates missing folders. It returns an error instead of replacing a
// file, because an existing file belongs to another capture. It does not sync the file to disk:
// callers delete an incomplete folder as a whole.
func (l *Local) Put(_ context.Context, name string, size int64, r io.Reader) error {
	local := filepath.FromSlash(name)
	if parent := path.Dir(name); parent != "." {
		if err := l.root.MkdirAll(filepath.FromSlash(parent), 0o755); err != nil {
			return err
		}
	}
	f, err := l.root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	// The struct hides the file's ReadFrom, which io.CopyBuffer would call instead of using the
	// larger buffer.
	_, err = io.CopyBuffer(struct{ io.Writer }{f}, r, make([]byte, max(1, min(size, copyBufferSize))))
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, l.root.Remove(local))
	}
	return nil
}

// localFile is an open file of a Local.
type localFile struct {
	*os.File
	size int64
}

// Size returns the length that the file had when it was opened.
func (f *localFile) Size() int64 { return f.size }
