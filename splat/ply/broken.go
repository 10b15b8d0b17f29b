package ply

import "math"

// isBroken reports whether the Gaussian of a row is left out: a value is not finite, or
// it has no size because all its scales are zero. Trainers write a single scale of zero,
// whose logarithm is minus infinity, for discs, and an infinite logit for an opacity of
// one.
func (l *layout) isBroken(row []byte) bool {
	// One comparison after the loop instead of one per value: a Gaussian with harmonics
	// has 55 values, and almost every one is finite.
	var sum float32 // v - v is NaN unless v is finite
	for i := range l.finite {
		v := l.finite[i].value(row)
		sum += v - v
	}
	if opacity := l.opacity.value(row); sum != 0 || opacity != opacity {
		return true
	}
	flat := 0
	for i := range l.scales {
		v := l.scales[i].value(row)
		if math.IsInf(float64(v), -1) {
			flat++
		} else if v-v != 0 {
			return true
		}
	}
	return flat == len(l.scales)
}
