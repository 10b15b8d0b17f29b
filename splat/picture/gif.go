package picture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Introducers of the blocks of a GIF (GIF89a specification, appendix A).
const (
	gifExtension = 0x21
	gifImage     = 0x2c
	gifTrailer   = 0x3b
	gifColours   = 1 << 7 // the flag that a table of colours follows
)

// gif walks over the blocks up to the end of the first picture, which is all that
// is ever decoded. Many animations lack their very end.
func (s *scanner) gif(h *header) error {
	r := bufio.NewReader(io.NewSectionReader(s.file, 6, s.file.Size()-6))
	var screen [7]byte
	if _, err := io.ReadFull(r, screen[:]); err != nil {
		return s.gifEnd(err)
	}
	h.width, h.height = int(binary.LittleEndian.Uint16(screen[:])), int(binary.LittleEndian.Uint16(screen[2:]))
	h.pixelBytes = 2
	if err := discardColours(r, screen[4]); err != nil {
		return s.gifEnd(err)
	}
	for range maxParts {
		kind, err := r.ReadByte()
		switch {
		case err != nil:
			return s.gifEnd(err)
		case kind == gifExtension:
			if _, err = r.Discard(1); err == nil {
				err = discardBlocks(r)
			}
		case kind == gifImage:
			return s.gifEnd(discardImage(r))
		case kind == gifTrailer:
			return s.damaged("it has no picture")
		default:
			return s.damaged("one of its blocks is of no known kind")
		}
		if err != nil {
			return s.gifEnd(err)
		}
	}
	return s.damaged("it has too many parts")
}

// gifEnd blames an early end on the file, and other errors on the storage.
func (s *scanner) gifEnd(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return s.cutOff()
	}
	return fmt.Errorf("read image: %w", err)
}

// discardColours skips the table of colours that the flags announce.
func discardColours(r *bufio.Reader, flags byte) error {
	if flags&gifColours == 0 {
		return nil
	}
	_, err := r.Discard(3 << (flags&7 + 1))
	return err
}

// discardImage skips the rest of a picture.
func discardImage(r *bufio.Reader) error {
	var b [9]byte // where it lies, and flags
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return err
	}
	if err := discardColours(r, b[8]); err != nil {
		return err
	}
	if _, err := r.Discard(1); err != nil { // the size of its codes
		return err
	}
	return discardBlocks(r)
}

// discardBlocks skips blocks of data, up to the empty one that ends them.
func discardBlocks(r *bufio.Reader) error {
	for {
		size, err := r.ReadByte()
		if err != nil || size == 0 {
			return err
		}
		if _, err := r.Discard(int(size)); err != nil {
			return err
		}
	}
}
