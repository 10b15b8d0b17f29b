package vp8l

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// MaxSide is the largest width and height of an image, in pixels (RFC 9649,
// section 3.4).
const MaxSide = 16384

// Encoder encodes one image after the other and keeps its memory for the next:
// about six times the largest image's, and 10 MB. The zero value is ready. It is
// for one goroutine at a time.
type Encoder struct {
	pixels        []uint32 // ARGB
	first, second []uint32 // what transforms make of them
	palette       palette
	predict       predictChoice
	cross         crossChoice
	planner       planner
	image         imageWriter
	tokens        []token
	bits          bitWriter
}

// Encode is Encoder.Encode of an encoder that is used once.
func Encode(w io.Writer, pixels []byte, width, height int) error {
	var e Encoder
	return e.Encode(w, pixels, width, height)
}

// Encode writes an image as a WebP file. Pixels holds red, green, blue and alpha
// of each, not multiplied with alpha, row by row from the top without gaps. The
// same image gives the same file. It is an error if a side is not 1 to MaxSide or
// pixels is not 4*width*height bytes long; otherwise the only errors are those of
// w, wrapped, which gets the file in two writes when all is done.
func (e *Encoder) Encode(w io.Writer, pixels []byte, width, height int) error {
	if width < 1 || width > MaxSide || height < 1 || height > MaxSide {
		return fmt.Errorf("encode image of %d x %d pixels: sides must be 1 to %d", width, height, MaxSide)
	}
	if len(pixels) != 4*width*height {
		return fmt.Errorf("encode image of %d x %d pixels: got %d bytes, want %d",
			width, height, len(pixels), 4*width*height)
	}
	e.bits.reset()
	e.writeHeader(e.load(pixels), width, height)
	p := e.choose(width, height)
	e.writeImage(p, width, height)
	return writeFile(w, e.bits.close())
}

// load sets pixels, and reports whether any of them is transparent.
func (e *Encoder) load(pixels []byte) (transparent bool) {
	e.pixels = resize(e.pixels, len(pixels)/4)
	all := uint32(1<<32 - 1)
	for i := range e.pixels {
		abgr := binary.LittleEndian.Uint32(pixels[4*i:])
		e.pixels[i] = abgr&0xff00ff00 | abgr>>16&255 | abgr&255<<16
		all &= abgr
	}
	return all>>24 != 255
}

// writeHeader writes what comes before the image data (RFC 9649, section 3.4).
func (e *Encoder) writeHeader(transparent bool, width, height int) {
	const signature, version = 0x2f, 0
	e.bits.write(signature, 8)
	e.bits.write(uint32(width-1), 14)
	e.bits.write(uint32(height-1), 14)
	e.bits.flag(transparent)
	e.bits.write(version, 3)
}

// writeImage writes the transforms of a plan and the image that they leave.
func (e *Encoder) writeImage(p plan, width, height int) {
	pixels, width := e.transform(&p, e.pixels, width, height)
	e.writeTransforms(p, width, height)
	e.tokens = slices.Grow(e.tokens[:0], len(pixels)) // doubling would take more
	e.tokens = e.image.parser.parse(e.tokens, pixels, width, p.cacheBits)
	e.image.writePicture(&e.bits, e.tokens, width, height, p.cacheBits)
}

// The numbers of the transforms (RFC 9649, section 3.5).
const (
	predictorTransform = iota
	colourTransform
	greenTransform
	indexingTransform
)

// transformBits is the size of the tiles that have a choice of their own, as the
// exponent of their side: the largest, for we have but one choice.
const transformBits = 9

// writeTransforms writes those of a plan in the order in which they were applied,
// each with its choice. Width is that of the image that they leave.
func (e *Encoder) writeTransforms(p plan, width, height int) {
	b := &e.bits
	if p.indexed {
		e.writeTransform(indexingTransform)
		table := e.palette.table()
		b.write(uint32(len(table)-1), 8)
		e.image.writeSmall(b, table, len(table), 1)
	}
	if p.green {
		e.writeTransform(greenTransform)
	}
	if p.predicted {
		e.writeTransform(predictorTransform)
		e.writeTiles(uint32(e.predict.mode)<<8, width, height)
	}
	if p.crossed {
		e.writeTransform(colourTransform)
		e.writeTiles(e.cross.pixel(), width, height)
	}
	b.flag(false)
}

// writeTiles writes the image that gives every tile of a transform the same choice.
func (e *Encoder) writeTiles(choice uint32, width, height int) {
	e.bits.write(transformBits-2, 3)
	across, down := tiles(width, transformBits), tiles(height, transformBits)
	e.image.writeSmall(&e.bits, slices.Repeat([]uint32{choice}, across*down), across, down)
}

// writeTransform writes that a transform follows, and which.
func (e *Encoder) writeTransform(number uint32) {
	e.bits.flag(true)
	e.bits.write(number, 2)
}

// writeFile writes the image data in the container for a lossless image alone
// (RFC 9649, sections 2.3 and 2.6).
func writeFile(w io.Writer, data []byte) error {
	padded := len(data) + len(data)&1
	header := make([]byte, 0, 20)
	header = append(header, "RIFF"...)
	header = binary.LittleEndian.AppendUint32(header, uint32(4+8+padded))
	header = append(header, "WEBPVP8L"...)
	header = binary.LittleEndian.AppendUint32(header, uint32(len(data)))
	if _, err := w.Write(header); err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	if padded > len(data) {
		data = append(data, 0)
	}
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	return nil
}
