package gaussian_test

import (
	"math"
	"testing"

	"portico/splat/gaussian"
)

// One row for each component that can be the largest, and for the rotation that changes nothing.
func TestQuaternionOf_returns_the_rotation_of_the_matrix(t *testing.T) {
	t.Parallel()
	for _, q := range [][4]float64{
		{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0},
		{0.9, 0.3, -0.3, 0.1}, {0.1, 0.9, 0.3, -0.3}, {-0.3, 0.1, 0.9, 0.3}, {0.3, -0.3, 0.1, 0.9},
	} {
		x, y, z, w := q[0], q[1], q[2], q[3]
		got := gaussian.QuaternionOf([3][3]float64{
			{1 - 2*(y*y+z*z), 2 * (x*y - z*w), 2 * (x*z + y*w)},
			{2 * (x*y + z*w), 1 - 2*(x*x+z*z), 2 * (y*z - x*w)},
			{2 * (x*z - y*w), 2 * (y*z + x*w), 1 - 2*(x*x+y*y)},
		})
		// A quaternion and its negative are the same rotation.
		if dot := got[0]*x + got[1]*y + got[2]*z + got[3]*w; math.Abs(math.Abs(dot)-1) > 1e-12 {
			t.Errorf("quaternion of the matrix of %v: got %v", q, got)
		}
	}
}
