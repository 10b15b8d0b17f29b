package ply

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"sync/atomic"

	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/records"
)

// chunkSize is the number of Gaussians that share ranges (PlayCanvas, "Compressed
// PLY Format").
const chunkSize = 256

// rangeProperties are the columns of the chunk element. Old versions of SuperSplat
// wrote none for the colours, whose range is then 0 to 1.
var rangeProperties = []string{
	"min_x", "min_y", "min_z", "max_x", "max_y", "max_z",
	"min_scale_x", "min_scale_y", "min_scale_z", "max_scale_x", "max_scale_y", "max_scale_z",
	"min_r", "min_g", "min_b", "max_r", "max_g", "max_b",
}

// withoutColours is the number of columns before the colours.
const withoutColours = 12

// ranges contains the minima and maxima of a chunk's values, in the order of
// rangeProperties.
type ranges [18]float32

// isBroken reports whether the Gaussians of the chunk are left out, because a range is
// not finite: a packed value has no other way to be broken. The scales may be minus
// infinity, a size of zero.
func (r *ranges) isBroken() bool {
	var sum float32 // v - v is NaN unless v is finite
	for i, v := range r {
		if i < 6 || i >= withoutColours || !math.IsInf(float64(v), -1) {
			sum += v - v
		}
	}
	return sum != 0
}

// compressedReader is the gaussian.Source of a compressed file. It contains the ranges of all
// chunks in memory, a third of a byte per Gaussian, because writers request Gaussians in the order
// of space and each one needs the ranges of its chunk.
//
// A Gaussian is in three places, which its number finds:
//
//	chunks[i/256]      the ranges, in memory
//	row i of vertices  the packed values
//	row i of sh        the harmonics
type compressedReader struct {
	vertices records.Table
	// packed has the offsets of position, rotation, scale and colour in a row.
	packed [4]int
	// harmonics is empty for degree 0. harmonicOffsets has the offset of each
	// f_rest property in its rows.
	harmonics       records.Table
	harmonicOffsets []int
	degree          int
	chunks          []ranges
	name            string
	closer          io.Closer
	// broken is the number of broken Gaussians that the last complete scan found.
	broken atomic.Int64
}

// openCompressed sets the source of a compressed file.
func (f *File) openCompressed(ctx context.Context, vertices *element) error {
	// SuperSplat writes no other encoding, so no other has a defined meaning.
	if f.header.encoding != LittleEndian {
		return input.Errorf(f.name, "is a compressed PLY in the encoding %s; only %s can be read", f.header.encoding, LittleEndian).
			Advise("Export it with SuperSplat")
	}
	if vertices.count == 0 {
		return input.Errorf(f.name, "contains no Gaussians").Advise("Export the capture again")
	}
	s := &compressedReader{name: f.name, closer: f.file}
	for i, name := range []string{"packed_position", "packed_rotation", "packed_scale", "packed_color"} {
		var err error
		if s.packed[i], err = f.propertyOffset(vertices, name, uint32Scalar); err != nil {
			return err
		}
	}
	var err error
	if s.vertices, err = f.table(vertices); err != nil {
		return err
	}
	if err := f.openHarmonics(s); err != nil {
		return err
	}
	if s.chunks, err = f.readChunks(ctx, s.vertices.Count); err != nil {
		return err
	}
	f.facts.Kind, f.facts.Degree, f.source = Compressed, s.degree, s
	return nil
}

// propertyOffset returns the offset in a row of a property with the given type.
func (f *File) propertyOffset(e *element, property string, s scalar) (int, error) {
	i := e.index(property)
	if i < 0 || e.properties[i].scalar != s {
		return 0, input.Errorf(f.name, "is a compressed PLY without the property %s, or with another type of it", property).Advise("Export it again")
	}
	at := 0
	for _, before := range e.properties[:i] {
		at += int(before.scalar.size())
	}
	return at, nil
}

// table returns the rows of an element of a compressed file.
func (f *File) table(e *element) (records.Table, error) {
	offset, known := f.header.offset(e)
	stride, fixed := e.stride()
	if !known || !fixed {
		return records.Table{}, input.Errorf(f.name, "is a compressed PLY with lists, which cannot be read").Advise("Export it with SuperSplat")
	}
	return records.Table{File: f.file, Offset: offset, Stride: int(stride), Count: int(e.count)}, nil
}

// openHarmonics sets the harmonics, which are an element of their own with one row
// per Gaussian.
func (f *File) openHarmonics(s *compressedReader) (err error) {
	e := f.header.element("sh")
	if e == nil {
		return nil
	}
	if e.count != int64(s.vertices.Count) {
		return input.Damaged(f.name, "it has %d Gaussians, but harmonics for %d", s.vertices.Count, e.count)
	}
	var count int
	if count, s.degree, err = harmonics(e, f.name); err != nil || count == 0 {
		return err
	}
	// The format does not fix the order of the columns, so each is found by its name.
	for i := range count {
		at, err := f.propertyOffset(e, fmt.Sprintf("f_rest_%d", i), uint8Scalar)
		if err != nil {
			return err
		}
		s.harmonicOffsets = append(s.harmonicOffsets, at)
	}
	s.harmonics, err = f.table(e)
	return err
}

// readChunks reads the ranges of all chunks. It refuses any other number of chunks
// than the Gaussians need, because readers disagree about such files.
func (f *File) readChunks(ctx context.Context, splats int) ([]ranges, error) {
	e := f.header.element("chunk")
	if want := (splats + chunkSize - 1) / chunkSize; e.count != int64(want) {
		return nil, input.Damaged(f.name, "it has %d chunks, but its %d Gaussians need %d", e.count, splats, want)
	}
	columns := rangeProperties
	if e.index(columns[withoutColours]) < 0 {
		columns = columns[:withoutColours] // an old version of SuperSplat
	}
	offsets := make([]int, len(columns))
	for i, name := range columns {
		var err error
		if offsets[i], err = f.propertyOffset(e, name, float32Scalar); err != nil {
			return nil, err
		}
	}
	t, err := f.table(e)
	if err != nil {
		return nil, err
	}
	chunks := make([]ranges, 0, t.Count)
	return chunks, t.Scan(ctx, func(_ int, rows []byte) error {
		for ; len(rows) > 0; rows = rows[t.Stride:] {
			r := ranges{15: 1, 16: 1, 17: 1} // colours from 0 to 1 by default
			for i, at := range offsets {
				r[i] = math.Float32frombits(binary.LittleEndian.Uint32(rows[at:]))
			}
			chunks = append(chunks, r)
		}
		return nil
	})
}

// Levels implements gaussian.Source.
func (s *compressedReader) Levels() []int { return []int{s.vertices.Count} }

// Degree implements gaussian.Source.
func (s *compressedReader) Degree() int { return s.degree }

// Positions implements gaussian.Source. It decodes no other property, so it reads the
// part of the file without the harmonics. Too many broken Gaussians are an *input.Error.
func (s *compressedReader) Positions(ctx context.Context, _ int, p []float32, progress func(done int)) error {
	var broken input.Broken
	err := s.vertices.Scan(ctx, func(first int, rows []byte) error {
		i := first
		for ; len(rows) > 0; rows = rows[s.vertices.Stride:] {
			to := p[3*i : 3*i+3]
			s.unpackPosition(rows, i, to)
			if s.chunks[i/chunkSize].isBroken() {
				gaussian.LeaveOut(to)
				broken.Invalid++
			}
			i++
		}
		if progress != nil {
			progress(i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.broken.Store(broken.All())
	return broken.Check(s.name, int64(s.vertices.Count))
}

// Read implements gaussian.Source. The harmonics are in another part of the file, so
// they take a second pass.
func (s *compressedReader) Read(ctx context.Context, _ int, numbers []uint32, c *gaussian.Cloud) error {
	o, err := records.NewRequests(numbers, s.vertices.Count)
	if err != nil {
		return err
	}
	c.Resize(len(numbers), s.degree)
	// Gather sorts the reads by the place in the file and passes the slot of each row,
	// so both passes fill the same cloud in the order of the request.
	if s.degree > 0 {
		n := len(s.harmonicOffsets)
		err := s.harmonics.Gather(ctx, o, func(slot int, row []byte) {
			for k, at := range s.harmonicOffsets {
				c.Harmonics[slot*n+k] = harmonic(row[at])
			}
		})
		if err != nil {
			return err
		}
	}
	return s.vertices.Gather(ctx, o, func(slot int, row []byte) { s.decode(row, int(numbers[slot]), c, slot) })
}

// decode sets the i-th Gaussian of the cloud, without its harmonics, from the row with
// the given number.
func (s *compressedReader) decode(row []byte, number int, c *gaussian.Cloud, i int) {
	r := &s.chunks[number/chunkSize]
	s.unpackPosition(row, number, c.Positions[3*i:][:3])
	unpackQuaternion(s.packedValue(row, 1), c.Rotations[4*i:][:4])
	unpackVector(s.packedValue(row, 2), r[6:9], r[9:12], c.Scales[3*i:][:3])
	colour := s.packedValue(row, 3)
	for k := range 3 {
		// packed_color is red, green, blue and opacity from the highest byte down. Its
		// colours are 0.5 + C0*f_dc, where C0 is the constant harmonic.
		share := float32(colour>>(24-8*k)&0xff) / 255
		c.Colours[3*i+k] = (lerp(r[12+k], r[15+k], share) - 0.5) / gaussian.C0
	}
	c.Opacities[i] = float32(colour&0xff) / 255
	c.Sanitise(i)
}

// packedValue returns a packed value of a row, by its index in s.packed.
func (s *compressedReader) packedValue(row []byte, which int) uint32 {
	return binary.LittleEndian.Uint32(row[s.packed[which]:])
}

// unpackPosition unpacks the position of the row with the given number.
func (s *compressedReader) unpackPosition(row []byte, number int, to []float32) {
	r := &s.chunks[number/chunkSize]
	unpackVector(s.packedValue(row, 0), r[0:3], r[3:6], to)
}

// bounds returns the box around all ranges. It is exact without reading the
// Gaussians: a writer computes the ranges from the positions.
func (s *compressedReader) bounds() (b box) {
	for i, r := range s.chunks {
		in := int64(min(chunkSize, s.vertices.Count-i*chunkSize)) // fewer in the last chunk
		if r.isBroken() {
			b.count += in
			b.broken.Invalid += in
			continue
		}
		b.add(float64(r[0]), float64(r[1]), float64(r[2]))
		b.add(float64(r[3]), float64(r[4]), float64(r[5]))
		b.count += in - 2
	}
	s.broken.Store(b.broken.All())
	return b
}

// Environment implements gaussian.Source: PLY files have none.
func (s *compressedReader) Environment(_ context.Context, c *gaussian.Cloud) error {
	c.Resize(0, s.degree)
	return nil
}

// Close implements gaussian.Source.
func (s *compressedReader) Close() error { return s.closer.Close() }
