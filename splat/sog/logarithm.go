package sog

import "math"

// logarithm is the scale on which positions are quantised: fine near the origin,
// coarse far away.
func logarithm(v float64) float64 {
	return math.Copysign(math.Log1p(math.Abs(v)), v)
}

// fromLogarithm is the inverse of logarithm.
func fromLogarithm(v float64) float64 {
	return math.Copysign(math.Expm1(math.Abs(v)), v)
}
