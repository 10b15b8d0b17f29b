package gaussian

import "math"

// LeaveOut marks a position in the result of Source.Positions as the position of a broken
// Gaussian: it has a value that is not finite, or no size. Writers leave out such Gaussians.
// The mark is the only record of which Gaussians are broken.
func LeaveOut(position []float32) {
	position[0] = float32(math.NaN())
}

// IsLeftOut reports whether LeaveOut marked the position.
func IsLeftOut(position []float32) bool { return math.IsNaN(float64(position[0])) }
