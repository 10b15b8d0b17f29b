package voxel

import "math/bits"

// turn is a rotation by right angles that brings an axis to y. It is exact.
type turn struct {
	// axis[k] is the old axis that becomes k, and sign its direction.
	axis [3]int
	sign [3]float64
}

// upright returns the turn that brings a signed axis to y.
func upright(up [3]float64) turn {
	for k, v := range up {
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
	return q
}

// back undoes the turn.
func (t turn) back(q [3]float64) (p [3]float64) {
	for k := range 3 {
		p[t.axis[k]] = t.sign[k] * q[k]
	}
	return p
}

// grid returns the grid turned, in memory of its own.
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
