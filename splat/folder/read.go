package folder

import (
	"errors"
	"fmt"
	"io"
)

// ReadFull fills p with the bytes of a file from the offset on. Callers have compared the range
// with the size of the file before. So an early end means that the store has lost bytes, which is
// not the user's fault: ReadFull returns io.ErrUnexpectedEOF for it, and never io.EOF. Errors name
// the range.
func ReadFull(file io.ReaderAt, p []byte, offset int64) error {
	n, err := file.ReadAt(p, offset)
	switch {
	case n == len(p):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read %d bytes at %d: %w", len(p), offset, err)
}
