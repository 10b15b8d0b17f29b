package ply

import (
	"bytes"

	"portico/splat/folder"
	"portico/splat/input"
)

// maxPadding is how many line ends, spaces and zero bytes may follow the data of a
// binary file: some tools append a last line or fill the last block.
const maxPadding = 4096

// checkSize compares the length of a file with its header. Lists and text have a
// minimum size only. Counts have 32 bits and rows a few thousand bytes, so the sum
// does not overflow.
//
// What the data must have, by encoding:
//
//	binary, no lists    exactly the sum of the rows, and perhaps padding
//	binary, lists       at least the lengths of the lists
//	text                at least a digit and a separator for each value
func (h *header) checkSize(file folder.File, name string) error {
	// Everything after this relies on it: memory is reserved for the counts of the
	// header only because the file is long enough to have them.
	var minSize int64
	exact := true
	for i := range h.elements {
		e := &h.elements[i]
		stride, fixed := e.stride()
		if h.encoding == Text {
			stride, fixed = 2*int64(len(e.properties)), false // a digit and a separator
		}
		minSize += e.count * stride
		exact = exact && (fixed || e.count == 0) // empty elements have no lists
	}
	if h.encoding == Text {
		minSize = max(minSize-1, 0) // the last value needs no separator
		exact = false
	}
	size, need := file.Size(), h.size+minSize
	switch {
	case size < need && exact:
		return input.CutOff(name, "it has %d bytes, and its header requires %d", size, need)
	case size < need:
		return input.CutOff(name, "it has %d bytes, and its header requires at least %d", size, need)
	case size > need && exact:
		return checkPadding(file, need, name)
	}
	return nil
}

// checkPadding refuses bytes after the data that are not padding. They may be the rest
// of a larger file whose header was changed.
func checkPadding(file folder.File, end int64, name string) error {
	rest := file.Size() - end
	if rest <= maxPadding {
		b := make([]byte, rest)
		if err := folder.ReadFull(file, b, end); err != nil {
			return err
		}
		if len(bytes.Trim(b, "\x00 \r\n")) == 0 {
			return nil
		}
	}
	return input.Damaged(name, "it has %d bytes, and its header requires %d", file.Size(), end)
}

// offset returns the offset of an element's rows in a binary file. It reports false if
// that depends on lists before them.
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
