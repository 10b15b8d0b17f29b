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

// Encoder encodes images one after another and reuses its memory: about six times
// the size of the largest image plus 10 MB. The zero value is ready to use. An
// Encoder must not be used by several goroutines concurrently.
type Encoder struct {
	pixels                 []uint32 // ARGB; the caller's or converted
	converted              []uint32
	transformed, residuals []uint32 // after the pixelwise transforms
	palette                palette
	predictor              predictorChoice
	multipliers            multiplierChoice
	planner                planner
	image                  imageWriter
	tokens                 []token
	bits                   bitWriter
}

// SetQuick decides how the next images are encoded. A quick encoder takes about half of the time,
// because it finds no repetitions except runs of a colour and copies of the row above. This makes
// textures of high bytes about 5 % larger, and textures that are noise no larger.
func (e *Encoder) SetQuick(quick bool) { e.image.parser.quick = quick }

// Encode encodes one image with a new Encoder. To encode several images, reuse an Encoder, which
// keeps its memory.
func Encode(w io.Writer, pixels []byte, width, height int) error {
	var e Encoder
	return e.Encode(w, pixels, width, height)
}

// Encode writes an image as a WebP file. Pixels holds red, green, blue and alpha
// of each pixel, not premultiplied, row by row from the top without padding. The
// same image always gives the same file. Encode returns an error if width or
// height is not between 1 and MaxSide, if pixels is not 4*width*height bytes long,
// or if w fails. It writes to w only when the file is complete, in two calls.
func (e *Encoder) Encode(w io.Writer, pixels []byte, width, height int) error {
	if err := checkSize(width, height, len(pixels), 4, "bytes"); err != nil {
		return err
	}
	e.converted = resize(e.converted, len(pixels)/4)
	for i := range e.converted {
		// The bytes are red, green, blue, alpha, so red and blue swap places for ARGB.
		abgr := binary.LittleEndian.Uint32(pixels[4*i:])
		e.converted[i] = abgr&0xff00ff00 | abgr>>16&255 | abgr&255<<16
	}
	return e.EncodeARGB(w, e.converted, width, height)
}

// EncodeARGB is Encode for pixels that are numbers: alpha in the highest byte, then red, green and
// blue. It does not change the pixels.
func (e *Encoder) EncodeARGB(w io.Writer, pixels []uint32, width, height int) error {
	if err := checkSize(width, height, len(pixels), 1, "pixels"); err != nil {
		return err
	}
	e.pixels = pixels
	defer func() { e.pixels = nil }() // the caller's
	e.bits.reset()
	e.writeHeader(isTransparent(pixels), width, height)
	p := e.choosePlan(width, height)
	e.writeImage(p, width, height)
	return writeFile(w, e.bits.close())
}

// checkSize returns an error if an image has sides out of range, or if its pixels do not have
// perPixel of a unit each.
func checkSize(width, height, got, perPixel int, unit string) error {
	if width < 1 || width > MaxSide || height < 1 || height > MaxSide {
		return fmt.Errorf("encode image of %d x %d pixels: sides must be 1 to %d", width, height, MaxSide)
	}
	if want := perPixel * width * height; got != want {
		return fmt.Errorf("encode image of %d x %d pixels: got %d %s, want %d", width, height, got, unit, want)
	}
	return nil
}

// isTransparent reports whether any pixel is not opaque.
func isTransparent(pixels []uint32) bool {
	all := uint32(1<<32 - 1)
	for _, c := range pixels {
		all &= c
	}
	return all>>24 != 255
}

// writeHeader writes the header of the lossless bitstream (RFC 9649, section 3.4).
//
//	 8 bits  signature, 0x2f
//	14 bits  width - 1
//	14 bits  height - 1
//	 1 bit   whether any pixel is transparent
//	 3 bits  version, 0
func (e *Encoder) writeHeader(transparent bool, width, height int) {
	const signature, version = 0x2f, 0
	e.bits.write(signature, 8)
	e.bits.write(uint32(width-1), 14)
	e.bits.write(uint32(height-1), 14)
	e.bits.writeFlag(transparent)
	e.bits.write(version, 3)
}

// writeImage encodes e.pixels as the plan says: the transforms, then what they leave of the image.
func (e *Encoder) writeImage(p transformPlan, width, height int) {
	pixels, width := e.transform(&p, e.pixels, width, height)
	e.writeTransforms(p, width, height)
	e.tokens = slices.Grow(e.tokens[:0], len(pixels)) // append would double the capacity
	e.tokens = e.image.parser.parse(e.tokens, pixels, width, p.cacheBits)
	e.image.writeSpatiallyCoded(&e.bits, tokenImage{e.tokens, pixels, width, height, p.cacheBits})
}

// The numbers of the transforms (RFC 9649, section 3.5).
const (
	predictorTransform = iota
	colourTransform
	greenTransform
	indexingTransform
)

// transformBits is log2 of the side of a transform's tiles. Each tile could have
// its own parameters; we use the same for all, so the largest tiles cost least.
const transformBits = 9

// writeTransforms writes the transforms of a plan with their parameters, in the
// order of their application; decoders undo them from last to first. Width is the
// transformed image's.
//
// Each transform is announced by a bit of 1 and its number in 2 bits, and its parameters follow:
//
//	predictor    3 bits of a tile's size, and an image of a mode for each tile, in its green
//	colour       3 bits of a tile's size, and an image of multipliers for each tile
//	green        nothing
//	indexing     8 bits of the number of colours minus 1, and an image of the colours
//
// A bit of 0 ends the list.
func (e *Encoder) writeTransforms(p transformPlan, width, height int) {
	b := &e.bits
	if p.indexed {
		e.writeTransform(indexingTransform)
		table := e.palette.table()
		b.write(uint32(len(table)-1), 8)
		e.image.writeEntropyCoded(b, table, len(table), 1)
	}
	if p.subtractGreen {
		e.writeTransform(greenTransform)
	}
	if p.predicted {
		e.writeTransform(predictorTransform)
		e.writeTiles(uint32(e.predictor.mode)<<8, width, height)
	}
	if p.crossColour {
		e.writeTransform(colourTransform)
		e.writeTiles(e.multipliers.pixel(), width, height)
	}
	b.writeFlag(false)
}

// writeTiles writes a transform's parameter image with the same value for each tile.
func (e *Encoder) writeTiles(parameter uint32, width, height int) {
	e.bits.write(transformBits-2, 3)
	across, down := tileCount(width, transformBits), tileCount(height, transformBits)
	e.image.writeEntropyCoded(&e.bits, slices.Repeat([]uint32{parameter}, across*down), across, down)
}

// writeTransform announces a transform by its number.
func (e *Encoder) writeTransform(number uint32) {
	e.bits.writeFlag(true)
	e.bits.write(number, 2)
}

// writeFile writes the image data in the simple lossless container (RFC 9649,
// sections 2.3 and 2.6). RIFF pads chunks to an even length.
//
//	"RIFF", the size of the rest, "WEBP"
//	"VP8L", the size of the data without its padding
//	…       the data, and a zero byte if its size is odd
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
