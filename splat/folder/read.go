package folder

import (
	"errors"
	"io"
)

// ReadFull fills p with the bytes of a file from the offset on. Callers have compared the range
// with the size of the file before. So an early end means that the store has lost bytes, which is
// not the user's fault: ReadFull returns io.ErrUnexpectedEOF for it, and never io.EOF.
func ReadFull(file io.ReaderAt, p []byte, offset int64) error {
	n, err := file.ReadAt(p, offset)
	switch {
	case n == len(p):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return err
}
