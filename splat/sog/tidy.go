package sog

import (
	"math"

	"portico/splat/gaussian"
)

// The bounds of what is written. A capture is beyond them only where something
// went wrong, and then one value must not spoil the codebook of all.
const (
	// maxScale bounds logarithms of sizes: a billionth of a nanometre and ten
	// thousand million kilometres.
	maxScale = 30
	// maxColour bounds harmonics. Visible ones are about 1.
	maxColour = 1 << 10
	// maxCoordinate bounds positions, in metres: a hundred light years.
	maxCoordinate = 1e18
)

// tidy puts values into these bounds, and zero where one is no number. Rotations
// are put right when they are packed, positions were before.
func tidy(c *gaussian.Cloud) {
	clamp(c.Scales, -maxScale, maxScale)
	clamp(c.Colours, -maxColour, maxColour)
	clamp(c.Harmonics, -maxColour, maxColour)
	clamp(c.Opacities, 0, 1)
}

// clamp leaves what is between low and high, which are on both sides of zero.
func clamp(values []float32, low, high float32) {
	for i, v := range values {
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

// ofDegree returns the harmonics of a cloud as if it had this degree: without
// those of higher ones, and zero for those that it does not have.
func ofDegree(c *gaussian.Cloud, degree int) []float32 {
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
