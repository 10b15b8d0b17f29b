package voxel

import (
	"math"
	"math/bits"
)

// turn is a rotation that brings a direction to y. Turns by right angles are kept apart from
// the tilt: they only exchange coordinates, so that grids turn voxel by voxel and the frequent
// case of a capture that is z-up loses nothing to rounding.
type turn struct {
	// axis[k] is the old axis that becomes k, and sign its direction.
	axis [3]int
	sign [3]float64
	// tilt is the rotation after that, by rows; nil for none.
	tilt *[3][3]float64
}

// upright returns the turn that brings a direction to y.
func upright(up [3]float64) turn {
	axis := nearestAxis(up)
	t := rightTurn(axis, math.Copysign(1, up[axis]))
	v := t.point(up)
	if v[1] == 1 {
		return t
	}
	// About the axis in the ground that is perpendicular to both, from v to y.
	c, s := v[1], math.Hypot(v[0], v[2])
	x, z := -v[2]/s, v[0]/s
	t.tilt = &[3][3]float64{
		{x*x*(1-c) + c, -z * s, x * z * (1 - c)},
		{z * s, c, -x * s},
		{x * z * (1 - c), x * s, z*z*(1-c) + c},
	}
	return t
}

// rightTurn returns the turn by right angles that brings a signed axis to y.
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

// back undoes the turn.
func (t turn) back(q [3]float64) (p [3]float64) {
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

// gaussians returns the Gaussians turned. They share what does not change.
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

// quaternion returns the rotation as x, y, z, w. It computes the largest component first
// (Shepperd's method), so the length that it divides by is never near zero.
func (t turn) quaternion() [4]float64 {
	// The columns of the matrix are what becomes of the axes.
	a, b, c := t.point(axisVector(0)), t.point(axisVector(1)), t.point(axisVector(2))
	var q [4]float64
	switch trace := a[0] + b[1] + c[2]; {
	case trace > 0:
		q = [4]float64{b[2] - c[1], c[0] - a[2], a[1] - b[0], 1 + trace}
	case a[0] >= b[1] && a[0] >= c[2]:
		q = [4]float64{1 + 2*a[0] - trace, a[1] + b[0], c[0] + a[2], b[2] - c[1]}
	case b[1] >= c[2]:
		q = [4]float64{a[1] + b[0], 1 + 2*b[1] - trace, b[2] + c[1], c[0] - a[2]}
	default:
		q = [4]float64{c[0] + a[2], b[2] + c[1], 1 + 2*c[2] - trace, a[1] - b[0]}
	}
	length := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
	for k := range q {
		q[k] /= length
	}
	return q
}

// grid returns the grid turned by right angles, in memory of its own.
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
