package sog

import "math"

// logarithm returns sign(v)*ln(1+|v|), the scale on which positions are quantised ("The
// SOG Format", 3.1): fine near the origin, coarse far away. It is as precise as
// math.Log1p and several times as fast, because every coordinate of a capture passes
// through it.
func logarithm(v float64) float64 {
	distance := math.Abs(v)
	// Near the origin, 1+distance would round away digits of the distance.
	if distance < 1e-3 {
		return math.Copysign(math.Log1p(distance), v)
	}
	return math.Copysign(logarithmAboveOne(1+distance), v)
}

func fromLogarithm(v float64) float64 {
	return math.Copysign(math.Expm1(math.Abs(v)), v)
}

// The layout of a float64 (IEEE 754).
const (
	mantissaBits = 52
	exponentBias = 1023
)

// tableBits is the number of leading mantissa bits that index logTable.
const tableBits = 8

// logTable divides the numbers from 1 to 2 into equal intervals, and contains the inverse
// and the logarithm of each interval's middle.
var logTable = func() (t [1 << tableBits]struct{ inverse, logarithm float64 }) {
	for i := range t {
		middle := 1 + (float64(i)+0.5)/float64(len(t))
		t[i].inverse, t[i].logarithm = 1/middle, math.Log(middle)
	}
	return t
}()

// logarithmAboveOne returns the natural logarithm of a finite v of at least 1. It splits
// v into a power of two, the middle of an interval, and a factor so close to 1 that five
// terms of the series are precise (Tang, Table-driven implementation of the logarithm
// function, ACM TOMS 16, 1990).
func logarithmAboveOne(v float64) float64 {
	bits := math.Float64bits(v)
	exponent := float64(int(bits>>mantissaBits) - exponentBias)
	mantissa := math.Float64frombits(bits&(1<<mantissaBits-1) | exponentBias<<mantissaBits)
	s := &logTable[bits>>(mantissaBits-tableBits)%(1<<tableBits)]
	x := mantissa*s.inverse - 1
	return exponent*math.Ln2 + s.logarithm + x*(1-x*(1./2-x*(1./3-x*(1./4-x/5))))
}
