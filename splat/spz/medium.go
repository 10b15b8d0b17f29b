package spz

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"

	"portico/splat/folder"
)

// readSize is how much of a file is read at a time, in bytes.
const readSize = 256 << 10

// mediumError is a failure to read the file, which is none of the user's.
type mediumError struct {
	offset int64
	err    error
}

// Error implements error.
func (e *mediumError) Error() string { return fmt.Sprintf("read SPZ data at %d: %v", e.offset, e.err) }

// Unwrap gives the cause. An early end of the file is none: what holds the data
// must not be taken for cut off.
func (e *mediumError) Unwrap() error {
	if e.err == io.EOF {
		return nil
	}
	return e.err
}

// readAt fills b.
func readAt(file io.ReaderAt, b []byte, offset int64) error {
	n, err := file.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == nil {
		err = errors.New("it gives no more")
	}
	return &mediumError{offset, err}
}

// newReader returns a buffered reader of a part of a file. That the file is shorter
// than it was must not look like the end of what it holds.
func newReader(file io.ReaderAt, offset, size int64) *bufio.Reader {
	return bufio.NewReaderSize(&part{file, offset, size}, readSize)
}

// part reads a part of a file.
type part struct {
	file         io.ReaderAt
	offset, left int64
}

// Read implements io.Reader.
func (p *part) Read(b []byte) (int, error) {
	b = b[:min(int64(len(b)), p.left)]
	if p.left == 0 {
		return 0, io.EOF
	}
	if err := readAt(p.file, b, p.offset); err != nil {
		return 0, err
	}
	p.offset += int64(len(b))
	p.left -= int64(len(b))
	return len(b), nil
}

// unzip returns what the gzip stream of a file holds. Other streams behind it are
// not read.
func unzip(file folder.File) (*gzip.Reader, error) {
	r, err := gzip.NewReader(newReader(file, 0, file.Size()))
	if err != nil {
		return nil, err
	}
	r.Multistream(false)
	return r, nil
}
