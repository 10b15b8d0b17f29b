package freespace

import (
	"errors"
	"os"
)

// ErrFull means that a disk has no room but Reserve.
var ErrFull = errors.New("the disk has no room but its reserve")

// Interval is how many bytes are written between two checks of the free space. It is so small that
// 512 files, which are all checked at the same moment, leave half of Reserve free.
const Interval = 256 << 10

// Writer writes a file until only Reserve is free on its disk.
type Writer struct {
	// File is not embedded: io.Copy would call its ReadFrom instead of Write.
	File      *os.File
	unchecked int64 // how many bytes may be written before the next check
}

// Write implements io.Writer. It returns ErrFull if there is no room for the next bytes.
func (w *Writer) Write(p []byte) (int, error) {
	if w.unchecked < int64(len(p)) {
		free, err := Available(w.File)
		if err != nil {
			return 0, err
		}
		if free < max(Interval, int64(len(p))) {
			return 0, ErrFull
		}
		w.unchecked = max(Interval, int64(len(p)))
	}
	n, err := w.File.Write(p)
	w.unchecked -= int64(n)
	return n, err
}
