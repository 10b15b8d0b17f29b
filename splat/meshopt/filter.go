package meshopt

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Filter transforms decoded elements (appendix B).
//
// The elements that the filters transform, all of them in place:
//
//	OCTAHEDRAL   i8 or i16 x4  x, y of the octahedron, its size, any; becomes x, y, z, any
//	QUATERNION   i16 x4        three components, scale with the index of the largest in 2 bits
//	EXPONENTIAL  u32 each      i8 exponent in the upper byte, i24 mantissa; becomes an f32
//	COLOR        u8 or u16 x4  Y, Co, Cg, alpha; becomes red, green, blue, alpha
type Filter string

// The values are the names that the glTF extension uses.
const (
	FilterNone        Filter = "NONE"
	FilterOctahedral  Filter = "OCTAHEDRAL"
	FilterQuaternion  Filter = "QUATERNION"
	FilterExponential Filter = "EXPONENTIAL"
	FilterColor       Filter = "COLOR"
)

// allows reports whether the filter exists and may be applied to elements of a size.
func (f Filter) allows(stride int) bool {
	switch f {
	case "", FilterNone, FilterExponential:
		return true
	case FilterOctahedral, FilterColor:
		return stride == 4 || stride == 8
	case FilterQuaternion:
		return stride == 8
	}
	return false
}

// apply transforms all elements in place.
func (f Filter) apply(data []byte, stride int) {
	switch f {
	case FilterExponential:
		le := binary.LittleEndian
		for ; len(data) > 0; data = data[4:] {
			// The shifts extend the signs of the mantissa and of the exponent.
			v := int32(le.Uint32(data))
			le.PutUint32(data, math.Float32bits(float32(math.Ldexp(float64(v<<8>>8), int(v>>24)))))
		}
	case FilterOctahedral:
		transform(data, stride, decodeOctahedral)
	case FilterQuaternion:
		transform(data, stride, decodeQuaternion)
	case FilterColor:
		transform(data, stride, decodeColor)
	}
}

// transform calls decode with the four signed components of each element, which have 8 or 16
// bits, and with their maximum.
func transform(data []byte, stride int, decode func(v *[4]int, maximum int)) {
	le := binary.LittleEndian
	for ; len(data) > 0; data = data[stride:] {
		var v [4]int
		if stride == 4 {
			for k := range v {
				v[k] = int(int8(data[k]))
			}
			decode(&v, math.MaxInt8)
			for k := range v {
				data[k] = byte(v[k])
			}
			continue
		}
		for k := range v {
			v[k] = int(int16(le.Uint16(data[2*k:])))
		}
		decode(&v, math.MaxInt16)
		for k := range v {
			le.PutUint16(data[2*k:], uint16(v[k]))
		}
	}
}

// roundSigned returns v, limited to -1 to 1, as a normalized integer. A hostile stream may make v
// NaN, whose conversion to an integer depends on the machine; it becomes 0.
func roundSigned(v float64, maximum int) int {
	if math.IsNaN(v) {
		return 0
	}
	return int(math.Round(max(-1, min(v, 1)) * float64(maximum)))
}

// decodeOctahedral decodes a unit vector from its octahedral encoding (appendix B, filter 1).
func decodeOctahedral(v *[4]int, maximum int) {
	one := float64(v[2])
	x, y := float64(v[0])/one, float64(v[1])/one
	z := 1 - math.Abs(x) - math.Abs(y)
	// Points of the lower half were folded outwards over the edges of the square.
	below := min(z, 0)
	x -= math.Copysign(below, x)
	y -= math.Copysign(below, y)
	length := math.Sqrt(x*x + y*y + z*z)
	v[0], v[1], v[2] = roundSigned(x/length, maximum), roundSigned(y/length, maximum), roundSigned(z/length, maximum)
}

// decodeQuaternion computes the largest component, whose index is in the last two bits (appendix B,
// filter 2).
func decodeQuaternion(v *[4]int, maximum int) {
	largest := v[3] & 3
	one := float64(v[3]|3) * math.Sqrt2
	x, y, z := float64(v[0])/one, float64(v[1])/one, float64(v[2])/one
	w := math.Sqrt(max(0, 1-x*x-y*y-z*z))
	for k, c := range [4]float64{w, x, y, z} {
		v[(largest+k)%4] = roundSigned(c, maximum)
	}
}

// decodeColor converts YCoCg to RGB (appendix B, filter 4). The position of the highest bit of
// alpha is the number of bits of the values.
func decodeColor(v *[4]int, maximum int) {
	full := 2*maximum + 1 // the maximum of unsigned components
	luma, alpha := v[0]&full, v[3]&full
	scale := 1<<bits.Len(uint(alpha)) - 1
	a := alpha & (scale >> 1)
	a = a<<1 | a&1
	unit := float64(full) / float64(scale)
	for k, c := range [4]int{luma + v[1] - v[2], luma + v[2], luma - v[1] - v[2], a} {
		v[k] = roundUnsigned(float64(c)*unit, full)
	}
}

// roundUnsigned returns a rounded component within its range.
func roundUnsigned(v float64, full int) int {
	if math.IsNaN(v) {
		return 0
	}
	return int(math.Round(max(0, min(v, float64(full)))))
}
