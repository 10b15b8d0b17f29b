package ply

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"sync/atomic"

	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/records"
)

// flatScale is the third scale of discs, which have two (2DGS), as a logarithm: a
// micrometre.
const flatScale = -13.815511

// field is the position and type of a value in a row.
type field struct {
	offset int
	scalar scalar
	order  binary.ByteOrder
	// littleFloat32 marks a little-endian float32. Nearly every field is one, and
	// decoding it directly saves the switch over types for each of up to 59 values.
	littleFloat32 bool
	// constant is the value of a field that the file lacks; its scalar is 0.
	constant float32
}

// value decodes the field of a row. Doubles beyond float32 become infinite, which
// sanitise handles.
func (f *field) value(row []byte) float32 {
	if f.littleFloat32 {
		return math.Float32frombits(binary.LittleEndian.Uint32(row[f.offset:]))
	}
	if f.scalar == 0 {
		return f.constant
	}
	return float32(f.scalar.value(row[f.offset:], f.order))
}

// exactValue decodes the field of a row without rounding it: surveyed coordinates have
// more digits than a float32.
func (f *field) exactValue(row []byte) float64 { return f.scalar.value(row[f.offset:], f.order) }

// layout has the fields of a Gaussian in a row. Exporters add properties and order
// them differently, so each is found by its name, once per file: looking up 59 names
// for every Gaussian would take longer than decoding it.
type layout struct {
	positions [3]field
	rotations [4]field // x, y, z, w
	scales    []field  // 2 or 3
	colours   [3]field
	opacity   field
	harmonics []field
	degree    int
	// offset is subtracted from positions.
	offset [3]float64
	// colourUnit is the factor from a colour to 0 to 1, and 0 for f_dc. alphaUnit is the factor from
	// an opacity to 0 to 1, and 0 for a logit.
	colourUnit, alphaUnit float32
	// finite has the fields that are finite in a Gaussian that is not broken.
	finite []field
	// plain is set if all fields are of the usual type.
	plain *plainLayout
}

// position decodes a coordinate of the position of a row.
func (l *layout) position(row []byte, axis int) float32 {
	if l.offset[axis] == 0 {
		return l.positions[axis].value(row)
	}
	return float32(l.positions[axis].exactValue(row) - l.offset[axis])
}

// gaussianProperties are the properties of every Gaussian (INRIA, gaussian-splatting,
// scene/gaussian_model.py). A file without one of them is taken for points; the third
// scale and the harmonics are optional.
var gaussianProperties = []string{
	"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "rot_0", "rot_1", "rot_2", "rot_3",
}

// isGaussian reports whether the vertices have the properties that every Gaussian of a trainer has.
func isGaussian(e *element) bool {
	for _, name := range gaussianProperties {
		if e.index(name) < 0 {
			return false
		}
	}
	return true
}

// field returns the field of a property that is not a list, in a row of fixed size.
// The property must exist.
func (e *element) field(property string, encoding Encoding) field {
	f := field{order: binary.LittleEndian}
	i := e.index(property)
	for _, before := range e.properties[:i] {
		f.offset += int(before.scalar.size())
	}
	f.scalar = e.properties[i].scalar
	if encoding == BigEndian {
		f.order = binary.BigEndian
	}
	f.littleFloat32 = f.scalar == float32Scalar && encoding != BigEndian
	return f
}

// newLayout returns the layout of a row for which isGaussian is true.
func newLayout(e *element, encoding Encoding, name string) (*layout, error) {
	find := func(property string) field { return e.field(property, encoding) }
	l := &layout{positions: [3]field{find("x"), find("y"), find("z")}}
	l.findShape(e, find)
	l.findColour(e, find)
	count, degree, err := harmonics(e, name)
	if err != nil {
		return nil, err
	}
	l.degree = degree
	for i := range count {
		l.harmonics = append(l.harmonics, find(fmt.Sprintf("f_rest_%d", i)))
	}
	l.finite = slices.Concat(l.positions[:], l.rotations[:], l.colours[:], l.harmonics)
	if l.colourUnit == 0 && l.alphaUnit == 0 {
		l.plain = newPlainLayout(l)
	}
	return l, nil
}

// harmonics returns the number of the properties f_rest_0, f_rest_1 and so on, and the
// degree of the harmonics that they hold.
func harmonics(e *element, name string) (count, degree int, err error) {
	for e.index(fmt.Sprintf("f_rest_%d", count)) >= 0 {
		count++
	}
	for degree = range gaussian.MaxDegree + 1 {
		if 3*gaussian.Coefficients(degree) == count {
			return count, degree, nil
		}
	}
	return 0, 0, input.Errorf(name, "has %d properties f_rest; Gaussians have 0, 9, 24, 45 or 72 of them", count).
		Advise("Export it with spherical harmonics of one degree")
}

// splats is the gaussian.Source of a file with one row of values per Gaussian.
type splats struct {
	table  records.Table
	layout *layout
	name   string
	closer io.Closer
	// offset is what the rows lack already: text is parsed without the offset of the file.
	offset [3]float64
	// broken is the number of broken Gaussians that the last complete scan found.
	broken atomic.Int64
}

// openGaussians sets the source of a file with one row of values per Gaussian. Rows of
// text and rows with lists have no fixed size, so they are parsed into memory.
func (f *File) openGaussians(ctx context.Context, vertices *element) error {
	if vertices.count == 0 {
		return input.Errorf(f.name, "contains no Gaussians").Advise("Export the capture again")
	}
	if err := f.findOffset(ctx, vertices); err != nil {
		return err
	}
	s := &splats{name: f.name, closer: f.file}
	_, fixed := vertices.stride()
	offset, known := f.header.offset(vertices)
	// rows is the element that describes the rows of the table: parsing text changes
	// their types.
	rows := vertices
	inMemory := f.header.encoding == Text || !fixed || !known
	if inMemory {
		var err error
		if s.table, rows, err = f.parseRows(ctx, vertices); err != nil {
			return err
		}
		s.offset = f.facts.Offset
	} else {
		stride, _ := vertices.stride()
		s.table = records.Table{File: f.file, Offset: offset, Stride: int(stride), Count: int(vertices.count)}
	}
	var err error
	encoding := f.header.encoding
	if inMemory {
		encoding = LittleEndian
	}
	if s.layout, err = newLayout(rows, encoding, f.name); err != nil {
		return err
	}
	if s.layout.needsSize() || s.layout.colourUnit == 1 {
		if err := s.settle(ctx); err != nil {
			return err
		}
	}
	f.facts.Kind, f.facts.Degree, f.facts.Flat = Gaussians, s.layout.degree, len(s.layout.scales) == 2
	f.source = s
	if !inMemory && f.facts.Offset != [3]float64{} {
		s.layout.offset, s.layout.plain = f.facts.Offset, nil
	}
	return nil
}

// Levels implements gaussian.Source.
func (s *splats) Levels() []int { return []int{s.table.Count} }

// Degree implements gaussian.Source.
func (s *splats) Degree() int { return s.layout.degree }

// Positions implements gaussian.Source. It reads the whole file once, in blocks, and
// checks all values of each row: whether a Gaussian is broken must be known before a
// writer divides the capture. Too many broken Gaussians are an *input.Error.
func (s *splats) Positions(ctx context.Context, _ int, p []float32, progress func(done int)) error {
	var broken input.Broken
	err := s.table.Scan(ctx, func(first int, rows []byte) error {
		at := 3 * first
		for ; len(rows) > 0; rows = rows[s.table.Stride:] {
			to := p[at : at+3 : at+3]
			for i := range to {
				to[i] = s.layout.position(rows, i)
			}
			if s.layout.mayBeBroken(rows) {
				if fault := s.layout.fault(rows); fault != gaussian.Whole {
					gaussian.LeaveOut(to)
					broken.Add(fault == gaussian.Empty)
				}
			}
			at += 3
		}
		if progress != nil {
			progress(at / 3)
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.broken.Store(broken.All())
	return broken.Check(s.name, int64(s.table.Count))
}

// Read implements gaussian.Source. Rows that are close together in the file are read
// together, in whatever order they are requested.
func (s *splats) Read(ctx context.Context, _ int, numbers []uint32, c *gaussian.Cloud) error {
	o, err := records.NewRequests(numbers, s.table.Count)
	if err != nil {
		return err
	}
	c.Resize(len(numbers), s.layout.degree)
	return s.table.Gather(ctx, o, func(slot int, row []byte) { s.layout.decode(row, c, slot) })
}

// decode sets the i-th Gaussian of the cloud, and returns its fault. The file has the
// logarithms of scales, the logits of opacities, and harmonics in the order of the cloud (INRIA,
// gaussian-splatting, scene/gaussian_model.py, save_ply).
//
// What becomes of the values of a row:
//
//	x, y, z            as they are, or without the offset
//	rot_0 to rot_3     w moves to the end
//	scale_0 to 2       as they are; discs get flatScale for the third
//	f_dc_0 to 2        as they are
//	opacity            by the logistic function
//	f_rest             as they are
func (l *layout) decode(row []byte, c *gaussian.Cloud, i int) gaussian.Fault {
	if l.plain != nil {
		return l.plain.decode(row, c, i)
	}
	for k := range l.positions {
		c.Positions[3*i+k] = l.position(row, k)
	}
	for k := range l.rotations {
		c.Rotations[4*i+k] = l.rotations[k].value(row)
	}
	c.Scales[3*i+2] = flatScale // for discs; overwritten for others
	for k := range l.scales {
		c.Scales[3*i+k] = l.scales[k].value(row)
	}
	for k := range l.colours {
		c.Colours[3*i+k] = l.colours[k].value(row)
		if l.colourUnit != 0 {
			c.Colours[3*i+k] = (c.Colours[3*i+k]*l.colourUnit - 0.5) / gaussian.C0
		}
	}
	if c.Opacities[i] = l.opacity.value(row); l.alphaUnit == 0 {
		c.Opacities[i] = logistic(c.Opacities[i])
	} else {
		c.Opacities[i] *= l.alphaUnit
	}
	to := c.Harmonics[i*len(l.harmonics):][:len(l.harmonics)]
	for k := range to {
		to[k] = l.harmonics[k].value(row)
	}
	// Sanitise does not know that a disc has no third scale, so it finds fewer without a size.
	c.Sanitise(i)
	return l.fault(row)
}

// Environment implements gaussian.Source: PLY files have none.
func (s *splats) Environment(_ context.Context, c *gaussian.Cloud) error {
	c.Resize(0, s.layout.degree)
	return nil
}

// Close implements gaussian.Source.
func (s *splats) Close() error { return s.closer.Close() }

// addPositions adds all positions to the box, except positions of broken Gaussians.
func (s *splats) addPositions(ctx context.Context, b *box) error {
	l := s.layout
	err := s.table.Scan(ctx, func(_ int, rows []byte) error {
		for ; len(rows) > 0; rows = rows[s.table.Stride:] {
			if fault := l.fault(rows); fault != gaussian.Whole {
				b.count++
				b.broken.Add(fault == gaussian.Empty)
				continue
			}
			b.add(l.positions[0].exactValue(rows)+s.offset[0], l.positions[1].exactValue(rows)+s.offset[1], l.positions[2].exactValue(rows)+s.offset[2])
		}
		return nil
	})
	s.broken.Store(b.broken.All())
	return err
}
