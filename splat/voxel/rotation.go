package voxel

import (
	"math"
	"math/bits"

	"portico/splat/gaussian"
)

// rotation maps a direction to y. It is a rotation by right angles and then a tilt.
// Rotations by right angles only exchange coordinates, so they rotate grids voxel by voxel, and a
// capture with z up, which is frequent, is rotated without rounding.
type rotation struct {
	// axis[k] is the old axis that becomes k, and sign[k] its direction.
	axis [3]int
	sign [3]float64
	// tilt is the matrix of the tilt, by rows; nil means no tilt.
	tilt *[3][3]float64
}

// rotationToY returns the rotation that maps a direction to y. up must be a unit vector.
func rotationToY(up [3]float64) rotation {
	axis := nearestAxis(up)
	r := rightAngles(axis, math.Copysign(1, up[axis]))
	v := r.point(up)
	if v[1] == 1 {
		return r
	}
	// The tilt from v to y is about the horizontal axis that is perpendicular to both.
	c, s := v[1], math.Hypot(v[0], v[2])
	x, z := -v[2]/s, v[0]/s
	r.tilt = &[3][3]float64{
		{x*x*(1-c) + c, -z * s, x * z * (1 - c)},
		{z * s, c, -x * s},
		{x * z * (1 - c), x * s, z*z*(1-c) + c},
	}
	return r
}

// rightAngles returns the rotation by right angles that maps a signed axis to y.
func rightAngles(up int, sign float64) rotation {
	for k, v := range axisVector(up) {
		v *= sign
		if v == 0 {
			continue
		}
		next := (k + 1) % 3
		// The axes (third, k, next) are right-handed, as z, x, y are. The sign of one
		// more axis changes with the sign of up.
		return rotation{axis: [3]int{(k + 2) % 3, k, next}, sign: [3]float64{v, v, 1}}
	}
	return rotation{axis: [3]int{0, 1, 2}, sign: [3]float64{1, 1, 1}}
}

// point rotates a point or a direction.
func (r rotation) point(p [3]float64) (q [3]float64) {
	for k := range 3 {
		q[k] = r.sign[k] * p[r.axis[k]]
	}
	if r.tilt != nil {
		q = [3]float64{dot(r.tilt[0], q), dot(r.tilt[1], q), dot(r.tilt[2], q)}
	}
	return q
}

// inverse applies the inverse of the rotation.
func (r rotation) inverse(q [3]float64) (p [3]float64) {
	if m := r.tilt; m != nil {
		q = [3]float64{
			m[0][0]*q[0] + m[1][0]*q[1] + m[2][0]*q[2],
			m[0][1]*q[0] + m[1][1]*q[1] + m[2][1]*q[2],
			m[0][2]*q[0] + m[1][2]*q[1] + m[2][2]*q[2],
		}
	}
	for k := range 3 {
		p[r.axis[k]] = r.sign[k] * q[k]
	}
	return p
}

// gaussians returns the Gaussians after the rotation. They share the arrays that do not change.
func (r rotation) gaussians(cloud *gaussians) *gaussians {
	rotated := &gaussians{
		positions: make([]float32, len(cloud.positions)), rotations: make([]float32, len(cloud.rotations)),
		scales: cloud.scales, opacities: cloud.opacities, bounds: emptyBounds(),
	}
	by := r.quaternion()
	for i := range cloud.opacities {
		p := cloud.position(i)
		for k, v := range r.point([3]float64{float64(p[0]), float64(p[1]), float64(p[2])}) {
			rotated.positions[3*i+k] = float32(v)
		}
		q := cloud.rotations[4*i : 4*i+4]
		x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
		for k, v := range [4]float64{
			by[3]*x + by[0]*w + by[1]*z - by[2]*y,
			by[3]*y - by[0]*z + by[1]*w + by[2]*x,
			by[3]*z + by[0]*y - by[1]*x + by[2]*w,
			by[3]*w - by[0]*x - by[1]*y - by[2]*z,
		} {
			rotated.rotations[4*i+k] = float32(v)
		}
		rotated.bounds.grow(rotated.position(i), rotated.extent(i))
	}
	return rotated
}

// quaternion returns the rotation as x, y, z, w.
func (r rotation) quaternion() [4]float64 {
	// The columns of the matrix are the rotated axes.
	x, y, z := r.point(axisVector(0)), r.point(axisVector(1)), r.point(axisVector(2))
	return gaussian.QuaternionOf([3][3]float64{{x[0], y[0], z[0]}, {x[1], y[1], z[1]}, {x[2], y[2], z[2]}})
}

// grid returns a new grid: the grid after the rotation by right angles. The tilt is not applied:
// rotated voxels would leave gaps.
func (r rotation) grid(g *grid) *grid {
	low, high := r.point(g.bounds.Min), r.point(g.bounds.Max)
	var bounds Bounds
	for k := range 3 {
		bounds.Min[k], bounds.Max[k] = min(low[k], high[k]), max(low[k], high[k])
	}
	rotated := newGrid(bounds, g.resolution)
	size := [3]int{rotated.nx, rotated.ny, rotated.nz}
	for y := range g.ny {
		for z := range g.nz {
			for i, w := range g.row(y, z) {
				for ; w != 0; w &= w - 1 {
					from := [3]int{64*i + bits.TrailingZeros64(w), y, z}
					var to [3]int
					for k := range 3 {
						if to[k] = from[r.axis[k]]; r.sign[k] < 0 {
							to[k] = size[k] - 1 - to[k]
						}
					}
					rotated.set(to[0], to[1], to[2])
				}
			}
		}
	}
	return rotated
}
