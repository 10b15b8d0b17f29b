package gaussian

import "math"

// LeaveOut marks the position of a broken Gaussian, which has a value that is not finite
// or no size, in what Source.Positions returns. Writers leave such Gaussians out; nothing
// else has to know which ones they are.
func LeaveOut(position []float32) {
	position[0] = float32(math.NaN())
}

// IsLeftOut reports whether LeaveOut marked the position.
func IsLeftOut(position []float32) bool { return math.IsNaN(float64(position[0])) }
