package ply

import "math"

// harmonic unpacks a coefficient: the range is -4 to 4, the ends are exact.
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

// unpackVector unpacks 11, 10 and 11 bits, the first uppermost.
func unpackVector(v uint32, low, high, to []float32) {
	to[0] = between(low[0], high[0], float32(v>>21)/2047)
	to[1] = between(low[1], high[1], float32(v>>11&1023)/1023)
	to[2] = between(low[2], high[2], float32(v&2047)/2047)
}

// between blends so that both ends are exact.
func between(low, high, share float32) float32 { return low*(1-share) + high*share }

// unpackQuaternion unpacks the number of the largest component in the order w, x,
// y, z, which is positive, and the others with 10 bits each, as shares of the range
// -1/sqrt(2) to 1/sqrt(2).
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
	q[largest] = float32(math.Sqrt(max(0, float64(1-square))))
	to[0], to[1], to[2], to[3] = q[1], q[2], q[3], q[0]
}
