package ply

import "math"

// harmonic unpacks a coefficient from -4 to 4. SuperSplat maps 0 and 255 to the exact
// ends and every other byte to the middle of its step.
func harmonic(b byte) float32 {
	switch b {
	case 0:
		return -4
	case 255:
		return 4
	default:
		return (float32(b)+0.5)/32 - 4
	}
}

// unpackVector unpacks 11, 10 and 11 bits from the highest down (PlayCanvas,
// "Compressed PLY Format", packed_position and packed_scale).
func unpackVector(v uint32, low, high, to []float32) {
	// Viewers show y with half the precision of the others: 32 bits do not divide by
	// three.
	to[0] = lerp(low[0], high[0], float32(v>>21)/2047)
	to[1] = lerp(low[1], high[1], float32(v>>11&1023)/1023)
	to[2] = lerp(low[2], high[2], float32(v&2047)/2047)
}

// lerp interpolates linearly. Unlike low + share*(high-low), it is exact at both ends
// and does not overflow.
func lerp(low, high, share float32) float32 { return low*(1-share) + high*share }

// unpackQuaternion unpacks two bits with the index of the largest component, in the
// order w, x, y, z, and the other three with 10 bits each (packed_rotation). No other
// component can exceed 1/sqrt(2), so they span -1/sqrt(2) to 1/sqrt(2); the largest is
// positive and follows from the length of 1.
func unpackQuaternion(v uint32, to []float32) {
	var q [4]float32 // w, x, y, z
	largest := int(v >> 30)
	square, shift := float32(0), 20
	for k := range q {
		if k != largest {
			q[k] = (float32(v>>shift&1023)/1023 - 0.5) * math.Sqrt2
			square += q[k] * q[k]
			shift -= 10
		}
	}
	// The three are rounded, so their squares may add up to slightly more than 1.
	q[largest] = float32(math.Sqrt(max(0, float64(1-square))))
	to[0], to[1], to[2], to[3] = q[1], q[2], q[3], q[0]
}
