package picture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The introducers of a GIF's blocks (GIF89a specification, appendix A).
const (
	gifExtension = 0x21
	gifImage     = 0x2c
	gifTrailer   = 0x3b
	gifColours   = 1 << 7 // flag: a colour table follows
)

// readGIF reads the blocks up to the end of the first picture, because only this picture is
// decoded. The trailer is not required, because many animations have none.
//
// The file up to its first picture:
//
//	 0  6 bytes  "GIF87a" or "GIF89a"
//	 6  u16      width
//	 8  u16      height
//	10  u8       flags: bit 7 a colour table, bits 0 to 2 log2 of its size, minus 1
//	11  u8 x2    background and proportions of a pixel
//	13           the colour table, 3 bytes for each colour
//	             extensions, each with a kind and blocks
//	             0x2c and the picture
func (s *scanner) readGIF(h *header) error {
	r := bufio.NewReader(io.NewSectionReader(s.file, 6, s.file.Size()-6))
	var screen [7]byte
	if _, err := io.ReadFull(r, screen[:]); err != nil {
		return s.gifError(err)
	}
	h.width, h.height = int(binary.LittleEndian.Uint16(screen[:])), int(binary.LittleEndian.Uint16(screen[2:]))
	h.pixelBytes = 2
	if err := discardColours(r, screen[4]); err != nil {
		return s.gifError(err)
	}
	for range maxParts {
		kind, err := r.ReadByte()
		switch {
		case err != nil:
			return s.gifError(err)
		case kind == gifExtension:
			if _, err = r.Discard(1); err == nil {
				err = discardBlocks(r)
			}
		case kind == gifImage:
			return s.gifError(discardImage(r))
		case kind == gifTrailer:
			return s.damaged("it has no picture")
		default:
			return s.damaged("it has a block of unknown type")
		}
		if err != nil {
			return s.gifError(err)
		}
	}
	return s.damaged("it has too many parts")
}

// gifError returns an *input.Error for an early end of the file. Other errors are errors of the
// store and are wrapped.
func (s *scanner) gifError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return s.truncated()
	}
	return fmt.Errorf("read image: %w", err)
}

// discardColours skips the colour table that the flags announce, if any.
func discardColours(r *bufio.Reader, flags byte) error {
	if flags&gifColours == 0 {
		return nil
	}
	_, err := r.Discard(3 << (flags&7 + 1))
	return err
}

// discardImage skips a picture after its introducer.
//
//	0  u16 x4  left, top, width and height
//	8  u8      flags, as the flags of the file
//	9          the colour table, if any
//	   u8      the code size of LZW
//	           blocks
func discardImage(r *bufio.Reader) error {
	var b [9]byte // position, size and flags
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return err
	}
	if err := discardColours(r, b[8]); err != nil {
		return err
	}
	if _, err := r.Discard(1); err != nil { // minimum code size of LZW
		return err
	}
	return discardBlocks(r)
}

// discardBlocks skips data blocks up to and including the empty block at their end.
//
// A block is its size in a byte and its bytes. The last one has the size 0.
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
