package ply

import (
	"math"

	"portico/splat/input"
)

// tolerated is how many in a million positions may not be finite. Trainers leave a
// few such Gaussians behind; a file with many is damaged.
const tolerated = 1000

// box collects positions.
type box struct {
	min, max    [3]float64
	count, lost int64 // positions, and those of them that are not finite
}

// add takes in a position.
func (b *box) add(x, y, z float64) {
	b.count++
	if !finite(x + y + z) {
		b.lost++
		return
	}
	if b.count-b.lost == 1 {
		b.min, b.max = [3]float64{x, y, z}, [3]float64{x, y, z}
		return
	}
	b.min = [3]float64{min(b.min[0], x), min(b.min[1], y), min(b.min[2], z)}
	b.max = [3]float64{max(b.max[0], x), max(b.max[1], y), max(b.max[2], z)}
}

// result returns the box, or what is wrong with the file.
func (b *box) result(name string) (*Bounds, error) {
	if err := checkLost(b.lost, b.count, name); err != nil {
		return nil, err
	}
	if b.count == b.lost {
		return nil, nil //nolint:nilnil // a file without vertices has no bounds
	}
	return &Bounds{Min: b.min, Max: b.max}, nil
}

// checkLost judges how many of count positions are not finite.
func checkLost(lost, count int64, name string) error {
	if lost*1_000_000 > count*tolerated {
		return input.Errorf(name, "is damaged: %d of its %d positions are not finite numbers", lost, count)
	}
	return nil
}

// finite tells whether a value is a number and not infinite.
func finite[F float32 | float64](v F) bool {
	return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
}
