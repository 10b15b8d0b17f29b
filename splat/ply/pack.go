package ply

import (
	"encoding/binary"
	"math"

	"portico/splat/gaussian"
)

// maxPackedScale limits the logarithms of scales that ranges enclose, like SuperSplat: one
// disc of no thickness must not widen the steps of its whole chunk.
const maxPackedScale = 20

// packRanges returns the ranges of the Gaussians from first up to, but not including, end.
func packRanges(c *gaussian.Cloud, first, end int) (r ranges) {
	for k := range 3 {
		position, scale, colour := infiniteRange(), infiniteRange(), infiniteRange()
		for i := first; i < end; i++ {
			position.add(c.Positions[3*i+k])
			scale.add(packedScale(c.Scales[3*i+k]))
			colour.add(packedColour(c.Colours[3*i+k]))
		}
		r[k], r[3+k] = position.low, position.high
		r[6+k], r[9+k] = scale.low, scale.high
		r[12+k], r[15+k] = colour.low, colour.high
	}
	return r
}

type valueRange struct{ low, high float32 }

// infiniteRange returns a range without values: any value extends it.
func infiniteRange() valueRange { return valueRange{math.MaxFloat32, -math.MaxFloat32} }

func (r *valueRange) add(v float32) { r.low, r.high = min(r.low, v), max(r.high, v) }

// packedScale returns the logarithm of a scale within the limit.
func packedScale(v float32) float32 { return max(-maxPackedScale, min(v, maxPackedScale)) }

// packedColour returns the colour that an f_dc encodes. The format stores colours relative to
// their ranges.
func packedColour(v float32) float32 { return 0.5 + gaussian.C0*v }

// packGaussian appends the four packed values of Gaussian i.
//
// The values in their order, each from the highest bit down:
//
//	position    x 11 bits, y 10, z 11
//	rotation    2 bits of an index, 10 for each of three components
//	scale       as the position
//	colour      red, green, blue and opacity, 8 bits each
func packGaussian(row []byte, c *gaussian.Cloud, i int, r *ranges) []byte {
	var scales, colours [3]float32
	for k := range 3 {
		scales[k] = packedScale(c.Scales[3*i+k])
		colours[k] = packedColour(c.Colours[3*i+k])
	}
	row = binary.LittleEndian.AppendUint32(row, packVector(c.Positions[3*i:3*i+3], r[0:3], r[3:6]))
	row = binary.LittleEndian.AppendUint32(row, packQuaternion(c.Rotations[4*i:4*i+4]))
	row = binary.LittleEndian.AppendUint32(row, packVector(scales[:], r[6:9], r[9:12]))
	var colour uint32
	for k := range 3 {
		colour = colour<<8 | packShare(colours[k], r[12+k], r[15+k], 8)
	}
	return binary.LittleEndian.AppendUint32(row, colour<<8|packShare(c.Opacities[i], 0, 1, 8))
}

// packVector is the inverse of unpackVector.
func packVector(v, low, high []float32) uint32 {
	return packShare(v[0], low[0], high[0], 11)<<21 | packShare(v[1], low[1], high[1], 10)<<11 | packShare(v[2], low[2], high[2], 11)
}

// packShare returns where a value is within a range, in a number of bits.
func packShare(v, low, high float32, bits int) uint32 {
	steps := float64(int(1)<<bits - 1)
	extent := float64(high) - float64(low)
	if !(extent > 0) {
		return 0
	}
	return uint32(max(0, min(math.Round((float64(v)-float64(low))/extent*steps), steps)))
}

// packQuaternion is the inverse of unpackQuaternion.
func packQuaternion(v []float32) uint32 {
	q := [4]float32{v[3], v[0], v[1], v[2]} // w, x, y, z
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
		// A quaternion and its negative are the same rotation; the largest is positive.
		component := float64(q[k])
		if q[largest] < 0 {
			component = -component
		}
		packed = packed<<10 | uint32(max(0, min(math.Round((component/math.Sqrt2+0.5)*1023), 1023)))
	}
	return packed
}

// packHarmonic is the inverse of harmonic. It rounds down, because harmonic returns the middle of a
// step.
func packHarmonic(v float32) byte { return byte(max(0, min(math.Floor(32*float64(v)+128), 255))) }
