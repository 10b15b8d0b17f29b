package sog

import "math"

// logarithm is the scale on which positions are quantised: fine near the origin,
// coarse far away. It is as exact as math.Log1p, and several times as fast: every
// coordinate of a capture goes through it.
func logarithm(v float64) float64 {
	distance := math.Abs(v)
	// 1+distance has too few digits of the distance near the origin.
	if distance < 1e-3 {
		return math.Copysign(math.Log1p(distance), v)
	}
	return math.Copysign(logarithmAboveOne(1+distance), v)
}

// fromLogarithm is the inverse of logarithm.
func fromLogarithm(v float64) float64 {
	return math.Copysign(math.Expm1(math.Abs(v)), v)
}

// The bits of a float64.
const (
	mantissaBits = 52
	exponentBias = 1023
)

// stretchBits is how many bits of the mantissa say which of the stretches from 1 to
// 2 a number lies in.
const stretchBits = 8

// stretches holds the inverse and the logarithm of the middle of each stretch.
var stretches = func() (t [1 << stretchBits]struct{ inverse, logarithm float64 }) {
	for i := range t {
		middle := 1 + (float64(i)+0.5)/float64(len(t))
		t[i].inverse, t[i].logarithm = 1/middle, math.Log(middle)
	}
	return t
}()

// logarithmAboveOne returns the natural logarithm of a finite v of at least 1. The
// exponent and the middle of the stretch have known ones; what is left of v lies so
// close to 1 that five terms of the series are exact.
func logarithmAboveOne(v float64) float64 {
	bits := math.Float64bits(v)
	exponent := float64(int(bits>>mantissaBits) - exponentBias)
	mantissa := math.Float64frombits(bits&(1<<mantissaBits-1) | exponentBias<<mantissaBits)
	s := &stretches[bits>>(mantissaBits-stretchBits)%(1<<stretchBits)]
	x := mantissa*s.inverse - 1
	return exponent*math.Ln2 + s.logarithm + x*(1-x*(1./2-x*(1./3-x*(1./4-x/5))))
}
