package ply

import (
	"math"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// box is the bounding box of the positions that were added to it. It has 64 bits for
// each coordinate: the vertices of a surveyed mesh are millions of metres from the
// origin, where a float32 rounds to half a metre.
type box struct {
	min, max [3]float64
	// count is the number of positions, and broken counts the ones that are left out.
	count  int64
	broken input.Broken
}

// add extends the box to a position. Positions that are not finite only count.
func (b *box) add(x, y, z float64) {
	b.count++
	// The sum of infinities of opposite signs is NaN, so one test covers all three.
	if !isFinite(x + y + z) {
		b.broken.Invalid++
		return
	}
	if b.count-b.broken.All() == 1 {
		b.min, b.max = [3]float64{x, y, z}, [3]float64{x, y, z}
		return
	}
	b.min = [3]float64{min(b.min[0], x), min(b.min[1], y), min(b.min[2], z)}
	b.max = [3]float64{max(b.max[0], x), max(b.max[1], y), max(b.max[2], z)}
}

// result returns the bounds, nil for a box without positions.
func (b *box) result() *gaussian.Bounds {
	if b.count == b.broken.All() {
		return nil
	}
	return &gaussian.Bounds{Min: b.min, Max: b.max}
}

// isFinite reports whether a value is neither NaN nor infinite.
func isFinite[F float32 | float64](v F) bool {
	return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
}
