package sog

import (
	"math"

	"portico/splat/gaussian"
)

// The limits of written values. Only faulty values exceed them, and a single one must not
// stretch the codebook of all values.
const (
	// maxScale limits the logarithms of scales, to between 1e-13 and 1e13 metres.
	maxScale = 30
	// maxColour limits harmonics. Visible ones are about 1.
	maxColour = 1 << 10
	// maxCoordinate limits positions to about a hundred light years, in metres.
	maxCoordinate = 1e18
)

// sanitise clamps values to the limits and replaces NaN by zero. Rotations are sanitised
// by packQuaternion, positions by validPositions.
func sanitise(c *gaussian.Cloud) {
	clamp(c.Scales, -maxScale, maxScale)
	clamp(c.Colours, -maxColour, maxColour)
	clamp(c.Harmonics, -maxColour, maxColour)
	clamp(c.Opacities, 0, 1)
}

// clamp clamps values to low and high, which must enclose zero, and replaces NaN by zero.
func clamp(values []float32, low, high float32) {
	for i, v := range values {
		if v >= low && v <= high {
			continue // nearly all values
		}
		switch {
		case math.IsNaN(float64(v)):
			values[i] = 0
		case v < low:
			values[i] = low
		case v > high:
			values[i] = high
		}
	}
}

// withDegree returns the harmonics of a cloud converted to a degree: it drops the
// coefficients of higher degrees, and missing coefficients are zero.
func withDegree(c *gaussian.Cloud, degree int) []float32 {
	if c.Degree == degree {
		return c.Harmonics
	}
	have, want := gaussian.Coefficients(c.Degree), gaussian.Coefficients(degree)
	values := make([]float32, 3*want*c.Len())
	for i := range 3 * c.Len() {
		copy(values[i*want:(i+1)*want], c.Harmonics[i*have:(i+1)*have])
	}
	return values
}
