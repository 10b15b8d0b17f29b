package gaussian

import "math"

// Fault says why a Gaussian is broken.
type Fault byte

// The faults of a Gaussian. Only Whole is no fault.
const (
	Whole Fault = iota
	// Invalid means that a value is not finite.
	Invalid
	// Empty means that the Gaussian has no size or no direction: all its scales are zero, or its
	// quaternion is. Tools that reserve more rows than they fill write rows of zeros.
	Empty
)

// LeaveOut marks a position in the result of Source.Positions as the position of a broken
// Gaussian: it has a value that is not finite, no size or no direction. Writers leave out such Gaussians.
// The mark is the only record of which Gaussians are broken.
func LeaveOut(position []float32) {
	position[0] = float32(math.NaN())
}

// IsLeftOut reports whether LeaveOut marked the position.
func IsLeftOut(position []float32) bool { return math.IsNaN(float64(position[0])) }
