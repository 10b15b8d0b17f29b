package ply

import (
	"math"

	"portico/splat/gaussian"
)

// fault returns why the Gaussian of a row is left out: a value is not finite, it has no size
// because all its scales are zero, or it has no direction because its quaternion is zero. Trainers
// write a single scale of zero, whose logarithm is minus infinity, for discs, and an infinite logit
// for an opacity of one.
func (l *layout) fault(row []byte) gaussian.Fault {
	// One comparison after the loop instead of one per value: a Gaussian with harmonics
	// has 55 values, and almost every one is finite.
	var sum float32 // v - v is NaN unless v is finite
	for i := range l.finite {
		v := l.finite[i].value(row)
		sum += v - v
	}
	if opacity := l.opacity.value(row); sum != 0 || opacity != opacity {
		return gaussian.Invalid
	}
	flat := 0
	for i := range l.scales {
		v := l.scales[i].value(row)
		if math.IsInf(float64(v), -1) {
			flat++
		} else if v-v != 0 {
			return gaussian.Invalid
		}
	}
	if flat == len(l.scales) {
		return gaussian.Empty
	}
	for i := range l.rotations {
		if l.rotations[i].value(row) != 0 {
			return gaussian.Whole
		}
	}
	return gaussian.Empty
}
