package voxel

import (
	"math"
	"math/bits"

	"portico/splat/gaussian"
)

// turn is a rotation that maps a direction to y. It is a rotation by right angles and then a tilt.
// Rotations by right angles only exchange coordinates, so they rotate grids voxel by voxel, and a
// capture with z up, which is frequent, is rotated without rounding.
type turn struct {
	// axis[k] is the old axis that becomes k, and sign[k] its direction.
	axis [3]int
	sign [3]float64
	// tilt is the matrix of the tilt, by rows; nil means no tilt.
	tilt *[3][3]float64
}

// upright returns the turn that maps a direction to y.
func upright(up [3]float64) turn {
	axis := nearestAxis(up)
	t := rightTurn(axis, math.Copysign(1, up[axis]))
	v := t.point(up)
	if v[1] == 1 {
		return t
	}
	// The tilt from v to y is about the horizontal axis that is perpendicular to both.
	c, s := v[1], math.Hypot(v[0], v[2])
	x, z := -v[2]/s, v[0]/s
	t.tilt = &[3][3]float64{
		{x*x*(1-c) + c, -z * s, x * z * (1 - c)},
		{z * s, c, -x * s},
		{x * z * (1 - c), x * s, z*z*(1-c) + c},
	}
	return t
}

// rightTurn returns the turn by right angles that maps a signed axis to y.
func rightTurn(up int, sign float64) turn {
	for k, v := range axisVector(up) {
		v *= sign
		if v == 0 {
			continue
		}
		next := (k + 1) % 3
		// The axes (third, k, next) are right-handed, as z, x, y are. The sign of one
		// more axis changes with the sign of up.
		return turn{axis: [3]int{(k + 2) % 3, k, next}, sign: [3]float64{v, v, 1}}
	}
	return turn{axis: [3]int{0, 1, 2}, sign: [3]float64{1, 1, 1}}
}

// point turns a point or a direction.
func (t turn) point(p [3]float64) (q [3]float64) {
	for k := range 3 {
		q[k] = t.sign[k] * p[t.axis[k]]
	}
	if t.tilt != nil {
		q = [3]float64{dot(t.tilt[0], q), dot(t.tilt[1], q), dot(t.tilt[2], q)}
	}
	return q
}

// inverse applies the inverse of the turn.
func (t turn) inverse(q [3]float64) (p [3]float64) {
	if m := t.tilt; m != nil {
		q = [3]float64{
			m[0][0]*q[0] + m[1][0]*q[1] + m[2][0]*q[2],
			m[0][1]*q[0] + m[1][1]*q[1] + m[2][1]*q[2],
			m[0][2]*q[0] + m[1][2]*q[1] + m[2][2]*q[2],
		}
	}
	for k := range 3 {
		p[t.axis[k]] = t.sign[k] * q[k]
	}
	return p
}

// gaussians returns the Gaussians after the turn. They share the arrays that do not change.
func (t turn) gaussians(of *gaussians) *gaussians {
	turned := &gaussians{
		positions: make([]float32, len(of.positions)), rotations: make([]float32, len(of.rotations)),
		scales: of.scales, opacities: of.opacities, bounds: emptyBounds(),
	}
	r := t.quaternion()
	for i := range of.opacities {
		p := of.position(i)
		for k, v := range t.point([3]float64{float64(p[0]), float64(p[1]), float64(p[2])}) {
			turned.positions[3*i+k] = float32(v)
		}
		q := of.rotations[4*i : 4*i+4]
		x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
		for k, v := range [4]float64{
			r[3]*x + r[0]*w + r[1]*z - r[2]*y,
			r[3]*y - r[0]*z + r[1]*w + r[2]*x,
			r[3]*z + r[0]*y - r[1]*x + r[2]*w,
			r[3]*w - r[0]*x - r[1]*y - r[2]*z,
		} {
			turned.rotations[4*i+k] = float32(v)
		}
		turned.bounds.grow(turned.position(i), turned.extent(i))
	}
	return turned
}

// quaternion returns the rotation as x, y, z, w.
func (t turn) quaternion() [4]float64 {
	// The columns of the matrix are the turned axes.
	x, y, z := t.point(axisVector(0)), t.point(axisVector(1)), t.point(axisVector(2))
	return gaussian.QuaternionOf([3][3]float64{{x[0], y[0], z[0]}, {x[1], y[1], z[1]}, {x[2], y[2], z[2]}})
}

// grid returns a new grid: the grid after the turn by right angles.
func (t turn) grid(g *grid) *grid {
	low, high := t.point(g.bounds.Min), t.point(g.bounds.Max)
	var bounds Bounds
	for k := range 3 {
		bounds.Min[k], bounds.Max[k] = min(low[k], high[k]), max(low[k], high[k])
	}
	turned := newGrid(bounds, g.resolution)
	size := [3]int{turned.nx, turned.ny, turned.nz}
	for y := range g.ny {
		for z := range g.nz {
			for i, w := range g.row(y, z) {
				for ; w != 0; w &= w - 1 {
					from := [3]int{64*i + bits.TrailingZeros64(w), y, z}
					var to [3]int
					for k := range 3 {
						if to[k] = from[t.axis[k]]; t.sign[k] < 0 {
							to[k] = size[k] - 1 - to[k]
						}
					}
					turned.set(to[0], to[1], to[2])
				}
			}
		}
	}
	return turned
}
