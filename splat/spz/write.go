package spz

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"portico/splat/gaussian"
	"portico/splat/input"
)

const (
	// maxWrittenFraction is the number of fractional bits that the reference library writes; the
	// unit is then a quarter of a millimetre. Captures of more than two kilometres get fewer bits.
	maxWrittenFraction = 12
	// maxFixed is the maximum position in units: 24 bits with the sign.
	maxFixed = 1<<23 - 1
	// firstBits and restBits are the bits that are kept of harmonics of degree 1 and of higher
	// degrees, which are the defaults of the reference library. Bytes with few different values
	// compress to half.
	firstBits, restBits = 5, 4
	// firstHarmonics is the number of harmonics of degree 1.
	firstHarmonics = 3
)

// WriteOptions are the options of Write. The zero value is ready to use.
type WriteOptions struct {
	// Version is the version of the format, 3 or 4; 0 means 4. Viewers before 2026 read versions up
	// to 3.
	Version int
	// Antialiased reports whether the Gaussians were trained for a renderer that draws them at
	// least a pixel wide.
	Antialiased bool
	// Progress is called with the number of Gaussians that are encoded. Nil means no
	// reports.
	Progress func(done, total int64)
}

// Written describes a written file.
type Written struct {
	// Splats is the number of written Gaussians, and Dropped the number of broken Gaussians that
	// were left out.
	Splats, Dropped int64
	Version, Degree int
	// Bounds is the box around the centres in the axes of the file, y up.
	Bounds gaussian.Bounds
}

// Write writes the finest level with the axes right, up, back. The encoded Gaussians are in
// memory, with 20 to 92 bytes each. A source without Gaussians, or with more than MaxUnpacked
// bytes, is an *input.Error.
func Write(ctx context.Context, source gaussian.Source, to io.Writer, o WriteOptions) (Written, error) {
	if o.Version == 0 {
		o.Version = newest
	}
	if o.Version != 3 && o.Version != newest {
		return Written{}, fmt.Errorf("write SPZ version %d", o.Version)
	}
	all, err := gaussian.Select(ctx, source, 0, gaussian.MortonOrder, nil)
	if err != nil {
		return Written{}, err
	}
	e, err := newEncoder(source.Degree(), all, o)
	if err != nil {
		return Written{}, err
	}
	err = all.Each(ctx, func(first int, c *gaussian.Cloud) error {
		for i := range c.Len() {
			e.add(c, i)
		}
		if o.Progress != nil {
			o.Progress(int64(first+c.Len()), int64(all.Len()))
		}
		return nil
	})
	if err != nil {
		return Written{}, err
	}
	if o.Version >= newest {
		err = e.writeStreams(ctx, to)
	} else {
		err = e.writeGzip(ctx, to)
	}
	return e.describe(all), err
}

// encoder packs Gaussians.
type encoder struct {
	packed
	header header
	// unit is the number of units in a metre. rotation and harmonics are the signs that convert to
	// the axes of the file.
	unit      float64
	rotation  [3]float32
	harmonics []float32
}

// newEncoder refuses what SPZ cannot hold, and chooses the precision of the positions.
func newEncoder(degree int, all *gaussian.Selection, o WriteOptions) (*encoder, error) {
	e := &encoder{header: header{version: uint32(o.Version), splats: all.Len(), degree: degree, fraction: maxWrittenFraction}}
	if o.Antialiased {
		e.header.flags |= flagAntialiased
	}
	switch size := int64(all.Len()) * int64(e.header.bytes()); {
	case all.Len() == 0:
		return nil, input.Errorf("", "The capture has no Gaussians")
	case size > MaxUnpacked:
		return nil, input.Errorf("", "The capture is too large for SPZ: its %d Gaussians have %d bytes, at most %d can be read", all.Len(), size, MaxUnpacked).
			Advise("Convert it to streamed SOG")
	}
	far := 0.0
	for k := range 3 {
		far = max(far, math.Abs(float64(all.Low[k])), math.Abs(float64(all.High[k])))
	}
	for e.header.fraction > 0 && math.Ldexp(far, e.header.fraction) > maxFixed {
		e.header.fraction--
	}
	if math.Ldexp(far, e.header.fraction) > maxFixed {
		return nil, input.Errorf("", "The capture reaches %.0f kilometres, and SPZ only %d", far/1000, maxFixed/1000)
	}
	e.unit = math.Ldexp(1, e.header.fraction)
	e.axes = defaultAxes
	e.rotation, e.harmonics = e.axes.rotation(), e.axes.harmonics(degree)
	// The streams get exactly the memory that they need, because growing slices would take twice as
	// much.
	for i, size := range e.header.sizes() {
		*e.streams()[i] = make([]byte, 0, all.Len()*size)
	}
	return e, nil
}

// add appends Gaussian i of a cloud to the streams.
func (e *encoder) add(c *gaussian.Cloud, i int) {
	for k := range 3 {
		fixed := uint32(int32(math.Round(float64(e.axes.signs[k]*c.Positions[3*i+k]) * e.unit)))
		e.positions = append(e.positions, byte(fixed), byte(fixed>>8), byte(fixed>>16))
		e.colours = append(e.colours, toByte(255*(colourScale*float64(c.Colours[3*i+k])+0.5)))
		e.scales = append(e.scales, toByte(16*(float64(c.Scales[3*i+k])+10)))
	}
	e.alphas = append(e.alphas, toByte(255*float64(c.Opacities[i])))
	q := [4]float32(c.Rotations[4*i:])
	for k, sign := range e.rotation {
		q[k] *= sign
	}
	e.rotations = binary.LittleEndian.AppendUint32(e.rotations, packSmallestThree(q))
	n := len(e.harmonics)
	from := c.Harmonics[3*n*i:][:3*n]
	for k, sign := range e.harmonics {
		bits := restBits
		if k < firstHarmonics {
			bits = firstBits
		}
		for channel := range 3 {
			e.packed.harmonics = append(e.packed.harmonics, packHarmonic(sign*from[channel*n+k], bits))
		}
	}
}

// toByte rounds to the nearest byte. Values outside of 0 to 255 become 0 or 255.
func toByte(v float64) byte { return byte(max(0, min(math.Round(v), 255))) }

// packHarmonic returns the byte of a harmonic from -1 to 1, rounded to a number of bits. Zero
// is exact, because most harmonics are close to it.
//
// With b bits the bytes are multiples of 2^(8-b), rounded to the nearest one: of 8 for 5 bits, and
// of 16 for 4. 128 is a multiple of both, so that zero stays zero.
func packHarmonic(v float32, bits int) byte {
	step := 1 << (8 - bits)
	q := int(math.Round(max(-2, min(float64(v), 2))*128)) + 128
	return byte(max(0, min((q+step/2)/step*step, 255)))
}

// packSmallestThree is the inverse of decodeSmallestThree: 2 bits are the index of the largest
// component, which is left out, and 10 bits each are the sign and the size of the others.
func packSmallestThree(q [4]float32) uint32 {
	largest := 0
	for k := range q {
		if math.Abs(float64(q[k])) > math.Abs(float64(q[largest])) {
			largest = k
		}
	}
	packed := uint32(largest)
	for k := range q {
		if k == largest {
			continue
		}
		packed <<= 10
		// A quaternion and its negative are the same rotation, so the largest component can
		// always be positive.
		if (q[k] < 0) != (q[largest] < 0) {
			packed |= 512
		}
		packed |= uint32(min(math.Round(511*math.Sqrt2*math.Abs(float64(q[k]))), 511))
	}
	return packed
}

// appendHeader appends the 15 bytes with which all versions start: the magic number, the version,
// the number of Gaussians, the degree of the harmonics, the bits after the point in positions, and
// the flags.
func (e *encoder) appendHeader(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, magic)
	b = binary.LittleEndian.AppendUint32(b, e.header.version)
	b = binary.LittleEndian.AppendUint32(b, uint32(e.header.splats))
	return append(b, byte(e.header.degree), byte(e.header.fraction), e.header.flags)
}

// writeGzip writes version 3: the header and the streams in one gzip stream.
//
// It writes no extension, because the axes of the encoder are the default.
func (e *encoder) writeGzip(ctx context.Context, to io.Writer) error {
	w := gzip.NewWriter(to)
	if _, err := w.Write(append(e.appendHeader(nil), 0)); err != nil {
		return err
	}
	for _, stream := range e.streams() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := w.Write(*stream); err != nil {
			return err
		}
		*stream = nil // frees its memory
	}
	return w.Close()
}

// writeStreams writes version 4: the header, the table of streams and the streams. It
// compresses the streams in memory, because the table precedes them.
func (e *encoder) writeStreams(ctx context.Context, to io.Writer) error {
	var data [][]byte
	table := []byte{}
	for _, stream := range e.streams() {
		if len(*stream) == 0 {
			continue // no harmonics
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		var packed bytes.Buffer
		w, err := zstd.NewWriter(&packed, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
			zstd.WithEncoderLevel(zstd.SpeedBestCompression))
		if err != nil {
			return fmt.Errorf("create Zstandard encoder: %w", err)
		}
		if _, err := w.Write(*stream); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		table = binary.LittleEndian.AppendUint64(table, uint64(packed.Len()))
		table = binary.LittleEndian.AppendUint64(table, uint64(len(*stream)))
		data = append(data, packed.Bytes())
		*stream = nil // frees its memory
	}
	head := append(e.appendHeader(nil), byte(len(data)))
	head = binary.LittleEndian.AppendUint32(head, newHeader)
	head = append(head, make([]byte, newHeader-len(head))...)
	for _, part := range append([][]byte{head, table}, data...) {
		if _, err := to.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// describe returns the description of the file.
func (e *encoder) describe(all *gaussian.Selection) Written {
	w := Written{Splats: int64(all.Len()), Dropped: all.Dropped, Version: int(e.header.version), Degree: e.header.degree}
	for k, sign := range e.axes.signs {
		a, b := float64(sign*all.Low[k]), float64(sign*all.High[k])
		w.Bounds.Min[k], w.Bounds.Max[k] = min(a, b), max(a, b)
	}
	return w
}
