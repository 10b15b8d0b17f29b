package ply

import (
	"math"

	"portico/splat/input"
)

// maxNotFinite is how many positions in a million may not be finite. Trainers write
// a few such Gaussians; a file with many is damaged.
const maxNotFinite = 1000

// box is the bounding box of the positions that were added to it.
type box struct {
	min, max [3]float64
	// count is the number of positions, and notFinite how many of them are left out.
	count, notFinite int64
}

// add extends the box to a position. Positions that are not finite only count.
func (b *box) add(x, y, z float64) {
	b.count++
	if !isFinite(x + y + z) {
		b.notFinite++
		return
	}
	if b.count-b.notFinite == 1 {
		b.min, b.max = [3]float64{x, y, z}, [3]float64{x, y, z}
		return
	}
	b.min = [3]float64{min(b.min[0], x), min(b.min[1], y), min(b.min[2], z)}
	b.max = [3]float64{max(b.max[0], x), max(b.max[1], y), max(b.max[2], z)}
}

// result returns the bounds, nil for a box without positions. Too many positions that
// are not finite are an *input.Error.
func (b *box) result(name string) (*Bounds, error) {
	if err := checkNotFinite(b.notFinite, b.count, name); err != nil {
		return nil, err
	}
	if b.count == b.notFinite {
		return nil, nil //nolint:nilnil // a file without vertices has no bounds
	}
	return &Bounds{Min: b.min, Max: b.max}, nil
}

// checkNotFinite refuses a file with too many positions that are not finite.
func checkNotFinite(notFinite, count int64, name string) error {
	if notFinite*1_000_000 > count*maxNotFinite {
		return input.Damaged(name, "%d of its %d positions are not finite numbers", notFinite, count)
	}
	return nil
}

// isFinite reports whether a value is neither NaN nor infinite.
func isFinite[F float32 | float64](v F) bool {
	return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
}
