package spz

import (
	"encoding/binary"
	"math"

	"portico/splat/gaussian"
)

// colourScale is the range of a colour byte: 0 to 255 is f_dc from -0.5/0.15 to
// 0.5/0.15 (nianticlabs/spz, README.md).
const colourScale = 0.15

// decoder converts packed Gaussians into Gaussians of a cloud.
type decoder struct {
	*packed
	degree int
	// halfPositions (version 1) and firstThree (versions 1 and 2) report that positions and
	// rotations have the old encodings.
	halfPositions, firstThree bool
	unit                      float32 // of a position, in metres
	rotation                  [3]float32
	harmonics                 []float32
}

// newDecoder returns the decoder of a file.
func newDecoder(p *packed, h *header) *decoder {
	return &decoder{
		packed: p, degree: h.degree,
		halfPositions: h.version == 1, firstThree: h.version < 3,
		unit:     float32(math.Ldexp(1, -h.fraction)),
		rotation: p.axes.rotation(), harmonics: p.axes.harmonics(h.degree),
	}
}

// position decodes the n-th position into to and reports whether it is finite. Only version 1
// can store other positions; they become the origin.
func (d *decoder) position(n int, to []float32) bool {
	if d.halfPositions {
		b := d.positions[6*n : 6*n+6]
		for k := range to {
			to[k] = d.axes.signs[k] * gaussian.Float16(binary.LittleEndian.Uint16(b[2*k:]))
		}
		// sum-sum is NaN unless all three are finite. One branch is faster than three.
		if sum := to[0] + to[1] + to[2]; sum-sum != 0 {
			clear(to)
			return false
		}
		return true
	}
	b := d.positions[9*n : 9*n+9]
	// Shifting the 24 bits to the top and back extends the sign without a branch.
	for k := range to {
		v := int32(b[3*k])<<8 | int32(b[3*k+1])<<16 | int32(b[3*k+2])<<24
		to[k] = d.axes.signs[k] * d.unit * float32(v>>8) // arithmetic shift: keeps the sign
	}
	return true
}

// decode sets the i-th Gaussian of the cloud to the n-th Gaussian of the file. Opacities are
// from 0 to 1 in the file, colours are f_dc, and scales are logarithms from -10 in steps of 1/16
// (nianticlabs/spz, README.md).
//
// For two coefficients the orders of the harmonics are
//
//	file     r0 g0 b0 r1 g1 b1
//	cloud    r0 r1 g0 g1 b0 b1
func (d *decoder) decode(n int, c *gaussian.Cloud, i int) {
	c.Opacities[i] = float32(d.alphas[n]) / 255
	if !d.position(n, c.Positions[3*i:][:3]) {
		c.Opacities[i] = 0
	}
	for k := range 3 {
		c.Scales[3*i+k] = float32(d.scales[3*n+k])/16 - 10
		c.Colours[3*i+k] = (float32(d.colours[3*n+k])/255 - 0.5) / colourScale
	}
	q := c.Rotations[4*i:][:4]
	if d.firstThree {
		decodeFirstThree(d.rotations[3*n:][:3], q)
	} else {
		decodeSmallestThree(binary.LittleEndian.Uint32(d.rotations[4*n:]), q)
	}
	for k, sign := range d.rotation {
		q[k] *= sign
	}
	// The file interleaves the channels of each coefficient. In a cloud all coefficients of a
	// channel follow each other.
	coefficients := len(d.harmonics)
	from := d.packed.harmonics[3*coefficients*n:][:3*coefficients]
	to := c.Harmonics[3*coefficients*i:][:3*coefficients]
	for k, sign := range d.harmonics {
		for channel := range 3 {
			to[channel*coefficients+k] = sign * (float32(from[3*k+channel]) - 128) / 128
		}
	}
}

// decodeFirstThree decodes the rotations of versions 1 and 2: x, y and z with a byte each. w is
// positive and follows from the length of 1.
func decodeFirstThree(b []byte, q []float32) {
	square := float32(0)
	for k := range 3 {
		q[k] = float32(b[k])/127.5 - 1
		square += q[k] * q[k]
	}
	q[3] = float32(math.Sqrt(float64(max(0, 1-square))))
	normalise(q)
}

// decodeSmallestThree decodes the rotations from version 3 on. Two bits are the index of the
// largest component, in the order x, y, z, w. Each other component has ten bits: a sign, and nine
// bits of a fraction of 1/sqrt(2), which no smaller component exceeds. The largest component is
// positive and follows from the length of 1.
//
//	bits 30 and 31    the index of the largest component
//	bits 20 to 29     the first of the others: its sign in bit 29, its size in 20 to 28
//	bits 10 to 19     the second
//	bits 0 to 9       the third
//
// The loop runs from the last component to the first, because the last one is in the lowest bits.
func decodeSmallestThree(v uint32, q []float32) {
	largest := int(v >> 30)
	square := float32(0)
	for k := 3; k >= 0; k-- {
		if k == largest {
			continue
		}
		q[k] = float32(v&511) / 511 * math.Sqrt2 / 2
		square += q[k] * q[k]
		if v&512 != 0 {
			q[k] = -q[k]
		}
		v >>= 10
	}
	q[largest] = float32(math.Sqrt(float64(max(0, 1-square))))
	normalise(q)
}

// normalise scales a quaternion to the length 1, because rounded components may make it longer.
// The length is never 0: if three components are 0, the fourth is 1.
func normalise(q []float32) {
	scale := float32(1 / math.Sqrt(float64(q[0]*q[0]+q[1]*q[1]+q[2]*q[2]+q[3]*q[3])))
	for k := range q {
		q[k] *= scale
	}
}
