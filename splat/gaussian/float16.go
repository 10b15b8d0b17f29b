package gaussian

import "math"

// Float16 decodes an IEEE 754 binary16 number.
//
// The layout, from the highest bit:
//
//	sign      1 bit
//	exponent  5 bits, with a bias of 15; 0 for subnormal numbers, 31 for infinity and NaN
//	fraction  10 bits
func Float16(v uint16) float32 {
	sign, exponent, fraction := uint32(v>>15)<<31, uint32(v>>10&31), uint32(v&1023)
	switch exponent {
	case 0:
		small := float32(fraction) / (1 << 24)
		return math.Float32frombits(sign | math.Float32bits(small))
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	default:
		return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
	}
}
