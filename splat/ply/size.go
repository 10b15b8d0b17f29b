package ply

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"portico/splat/folder"
	"portico/splat/input"
)

// maxPadding is how many line ends, spaces and zero bytes may follow the data of a
// binary file, as tools leave them that append a last line or fill up a block.
const maxPadding = 4096

// checkSize compares the length of a file with what its header makes it. Lists and
// text have no fixed size, only a least one. Counts have 32 bits and rows a few
// thousand bytes, so nothing here overflows.
func (h *header) checkSize(file folder.File, name string) error {
	var least int64
	exact := true
	for i := range h.elements {
		e := &h.elements[i]
		stride, fixed := e.stride()
		if h.encoding == Text {
			stride, fixed = 2*int64(len(e.properties)), false // a digit and what separates it
		}
		least += e.count * stride
		exact = exact && (fixed || e.count == 0) // empty elements have no lists
	}
	if h.encoding == Text {
		least = max(least-1, 0) // nothing need separate the last value
		exact = false
	}
	size, need := file.Size(), h.size+least
	switch {
	case size < need && exact:
		return input.Errorf(name, "is cut off: its header makes it %d bytes, it has %d", need, size)
	case size < need:
		return input.Errorf(name, "is cut off: its header makes it at least %d bytes, it has %d", need, size)
	case size > need && exact:
		return checkPadding(file, need, name)
	}
	return nil
}

// checkPadding looks at what follows the data. What is more than padding may be the
// rest of a larger file whose header was changed, so it is not passed over.
func checkPadding(file folder.File, end int64, name string) error {
	rest := file.Size() - end
	if rest <= maxPadding {
		b := make([]byte, rest)
		if err := readAt(file, b, end); err != nil {
			return err
		}
		if len(bytes.Trim(b, "\x00 \r\n")) == 0 {
			return nil
		}
	}
	return input.Errorf(name, "is too long: its header makes it %d bytes, it has %d", end, file.Size())
}

// readAt fills b. A file that is shorter than its size is no fault of the user's.
func readAt(file io.ReaderAt, b []byte, offset int64) error {
	n, err := file.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read PLY data at %d: %w", offset, err)
}

// offset returns where the rows of an element begin in a binary file, and whether
// that is known without reading the lists before them.
func (h *header) offset(e *element) (int64, bool) {
	at := h.size
	for i := range h.elements {
		before := &h.elements[i]
		if before == e {
			return at, true
		}
		stride, fixed := before.stride()
		if !fixed && before.count > 0 {
			return 0, false
		}
		at += before.count * stride
	}
	return 0, false
}
