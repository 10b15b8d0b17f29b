package spz

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/gzip"

	"portico/splat/folder"
)

// readSize is how many bytes of the file are read at a time.
const readSize = 256 << 10

// readError is a failure to read the file. It is internal, not a fault of the file.
type readError struct{ err error }

// Error implements error.
func (e *readError) Error() string { return "SPZ: " + e.err.Error() }

// Unwrap returns the cause.
func (e *readError) Unwrap() error { return e.err }

// readAt is folder.ReadFull with a readError.
func readAt(file io.ReaderAt, b []byte, offset int64) error {
	if err := folder.ReadFull(file, b, offset); err != nil {
		return &readError{err}
	}
	return nil
}

// newReader returns a buffered reader of a section of a file. Unlike io.SectionReader
// it returns a readError, not io.EOF, if the file is shorter than its Size.
func newReader(file io.ReaderAt, offset, size int64) *bufio.Reader {
	return bufio.NewReaderSize(&sectionReader{file, offset, size}, readSize)
}

// sectionReader reads a section of a file.
type sectionReader struct {
	file         io.ReaderAt
	offset, left int64
}

// Read implements io.Reader.
func (s *sectionReader) Read(b []byte) (int, error) {
	b = b[:min(int64(len(b)), s.left)]
	if s.left == 0 {
		return 0, io.EOF
	}
	if err := readAt(s.file, b, s.offset); err != nil {
		return 0, err
	}
	s.offset += int64(len(b))
	s.left -= int64(len(b))
	return len(b), nil
}

// openStream returns a reader of the unpacked file of a version before 4.
func openStream(file folder.File, h *header) (io.Reader, error) {
	if h.raw {
		return newReader(file, 0, file.Size()), nil
	}
	return openGzip(file)
}

// openGzip returns a reader of the first gzip stream of a file. SPZ has one; further
// streams are ignored.
func openGzip(file folder.File) (*gzip.Reader, error) {
	r, err := gzip.NewReader(newReader(file, 0, file.Size()))
	if err != nil {
		return nil, err
	}
	r.Multistream(false)
	return r, nil
}
