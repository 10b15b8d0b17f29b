package archive

import (
	"archive/zip"
	"errors"
	"io"

	"portico/splat/input"
)

// maxEndReads is more than the standard library reads beside the directory: twice the end of the
// file, where it looks for the end record, and one header with the longest possible name, extra
// field and comment.
const maxEndReads = 512 << 10

// OpenStandard returns the zip in r, which has size bytes, as the standard library reads it. It is
// for callers with rules of their own for entries: of the limits only Entries and DirectoryBytes
// apply. They apply before the standard library reads the directory, which takes about four times
// its size in memory.
//
// A zip over the limits is an *input.Error. Every other error means that the file cannot be read as
// a zip.
func OpenStandard(r io.ReaderAt, size int64, limits Limits) (*zip.Reader, error) {
	d, err := findDirectory(newWindow(r, max(size, 0)))
	if _, isDamaged := errors.AsType[*input.Error](err); isDamaged {
		return nil, zip.ErrFormat
	}
	if err != nil {
		return nil, err
	}
	if err := limits.checkDirectory(d); err != nil {
		return nil, err
	}
	// The standard library reads headers until something else follows, whatever the end record
	// declares, so what was checked limits its reads too.
	limited := &limitedReader{r: r, isLimited: true, remaining: d.size + maxEndReads}
	standard, err := zip.NewReader(limited, size)
	if err != nil {
		return nil, err
	}
	if uint64(len(standard.File)) != d.entries {
		return nil, zip.ErrFormat
	}
	limited.isLimited = false
	return standard, nil
}

// errLongDirectory is the error of a directory that is longer than its end record declares.
var errLongDirectory = errors.New("the zip has a longer directory than it declares")

// limitedReader reads from r. While isLimited is set, it reads at most remaining bytes in total.
type limitedReader struct {
	r         io.ReaderAt
	isLimited bool
	remaining int64
}

// ReadAt implements io.ReaderAt.
func (l *limitedReader) ReadAt(p []byte, off int64) (int, error) {
	if l.isLimited {
		if l.remaining -= int64(len(p)); l.remaining < 0 {
			return 0, errLongDirectory
		}
	}
	return l.r.ReadAt(p, off)
}
