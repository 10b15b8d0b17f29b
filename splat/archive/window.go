package archive

import (
	"errors"
	"fmt"
	"io"
)

// windowSize is how many bytes are read at a time. In object storage every read is a request:
// a megabyte contains many small tiles and is little memory for a job.
const windowSize = 1 << 20

// window reads an archive through one block in memory. Entries are read in the order
// of the file, so almost every read finds its bytes in the block of the previous read. It must
// not be used concurrently.
type window struct {
	r     io.ReaderAt
	size  int64 // of the archive
	block []byte
	start int64 // offset of block in the archive
}

// newWindow returns a window that has read nothing yet.
func newWindow(r io.ReaderAt, size int64) *window {
	return &window{r: r, size: size, block: make([]byte, 0, min(size, windowSize))}
}

// ReadAt implements io.ReaderAt. It returns io.EOF only at the end of the archive. A read that ends
// there may return fewer bytes.
func (w *window) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		at := off + int64(n)
		if at >= w.size {
			return n, io.EOF
		}
		if at < w.start || at >= w.start+int64(len(w.block)) {
			if err := w.load(at); err != nil {
				return n, err
			}
		}
		n += copy(p[n:], w.block[at-w.start:])
	}
	return n, nil
}

// load reads the block that starts at off. After an error the block is empty, so the next read
// loads again.
func (w *window) load(off int64) error {
	want := int(min(int64(cap(w.block)), w.size-off))
	n, err := w.r.ReadAt(w.block[:want], off)
	if n == want {
		w.start, w.block = off, w.block[:n]
		return nil
	}
	w.block = w.block[:0]
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		// The store has lost bytes, which is not the user's fault. The error is not wrapped, so
		// that no caller takes it for a truncated entry.
		return fmt.Errorf("read archive at %d: it ends before its %d bytes", off, w.size)
	}
	return fmt.Errorf("read archive at %d: %w", off, err)
}
