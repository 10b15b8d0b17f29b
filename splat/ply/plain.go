package ply

import (
	"encoding/binary"
	"math"

	"portico/splat/gaussian"
)

// plainLayout is the layout of a row of little-endian float32 with three scales, which
// nearly every file has. Its decoder has no branches by type, and reads each value once.
type plainLayout struct {
	// offsets are in the order of a cloud: position, rotation, scales, colour, opacity.
	offsets   [14]int
	harmonics []int
}

// newPlainLayout returns the plain form of a layout, or nil for a file with other types or without
// three scales, which the general decoder reads.
func newPlainLayout(l *layout) *plainLayout {
	if len(l.scales) != 3 {
		return nil
	}
	var p plainLayout
	at := 0
	for _, fields := range [][]field{l.positions[:], l.rotations[:], l.scales, l.colours[:], {l.opacity}} {
		for i := range fields {
			if !fields[i].littleFloat32 {
				return nil
			}
			p.offsets[at] = fields[i].offset
			at++
		}
	}
	for i := range l.harmonics {
		if !l.harmonics[i].littleFloat32 {
			return nil
		}
		p.harmonics = append(p.harmonics, l.harmonics[i].offset)
	}
	return &p
}

// float32At returns the value at an offset of a row.
func float32At(row []byte, offset int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(row[offset:]))
}

// decode sets the i-th Gaussian of the cloud, as layout.decode does.
func (l *plainLayout) decode(row []byte, c *gaussian.Cloud, i int) gaussian.Fault {
	o := &l.offsets
	p, q := (*[3]float32)(c.Positions[3*i:]), (*[4]float32)(c.Rotations[4*i:])
	s, d := (*[3]float32)(c.Scales[3*i:]), (*[3]float32)(c.Colours[3*i:])
	p[0], p[1], p[2] = float32At(row, o[0]), float32At(row, o[1]), float32At(row, o[2])
	q[0], q[1], q[2], q[3] = float32At(row, o[3]), float32At(row, o[4]), float32At(row, o[5]), float32At(row, o[6])
	s[0], s[1], s[2] = float32At(row, o[7]), float32At(row, o[8]), float32At(row, o[9])
	d[0], d[1], d[2] = float32At(row, o[10]), float32At(row, o[11]), float32At(row, o[12])
	c.Opacities[i] = logistic(float32At(row, o[13]))
	to := c.Harmonics[i*len(l.harmonics):][:len(l.harmonics)]
	for k, offset := range l.harmonics {
		to[k] = float32At(row, offset)
	}
	return c.Sanitise(i)
}

// mayBeBroken reports whether fault must check the row: a value is not finite, the quaternion is
// zero, or the row is not plain. It takes a fraction of the time of fault.
func (l *layout) mayBeBroken(row []byte) bool {
	if l.plain == nil {
		return true
	}
	var sum float32 // v - v is NaN unless v is finite
	for _, offset := range &l.plain.offsets {
		v := float32At(row, offset)
		sum += v - v
	}
	for _, offset := range l.plain.harmonics {
		v := float32At(row, offset)
		sum += v - v
	}
	o := &l.plain.offsets
	return sum != 0 || float32At(row, o[3]) == 0 && float32At(row, o[4]) == 0 && float32At(row, o[5]) == 0 && float32At(row, o[6]) == 0
}
