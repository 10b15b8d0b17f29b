package voxel

import (
	"context"
	"math"
)

// voxels returns a distance in voxels, rounded up.
func (g *grid) voxels(distance float64) int { return int(math.Ceil(distance / g.resolution)) }

// fillFloor makes the space below floors solid: in each column, the voxels below the lowest solid
// voxel. Holes in floors of up to two radii count as floor. Columns without a floor become
// completely solid. The radius is in metres.
//
// It processes the planes from the bottom to the top, and keeps the columns that have not met a
// floor. A plane is dilated before the comparison, which closes holes. The columns that remain are
// dilated by the same radius afterwards, so that the fill reaches the real edge of the floor.
func (g *grid) fillFloor(radius float64) {
	horizontal := 0
	if radius > 0 {
		horizontal = g.voxels(radius)
	}
	size := g.nz * g.words
	open, found, spare := make([]uint64, size), make([]uint64, size), make([]uint64, size)
	for i := range open {
		open[i] = ^uint64(0)
		if i%g.words == g.words-1 {
			open[i] = g.lastWord()
		}
	}
	for y := range g.ny {
		plane := g.plane(y)
		copy(found, plane)
		g.dilatePlane(found, spare, horizontal)
		below := uint64(0)
		for i, solid := range found {
			open[i] &^= solid
			found[i] = open[i]
			below |= open[i]
		}
		if below == 0 {
			return // every column has met its floor
		}
		g.dilatePlane(found, spare, horizontal)
		for i, w := range found {
			plane[i] |= w
		}
	}
}

// fillExterior makes the outside of a closed room solid, and crops the grid to the room. The
// outside is the space that a flood from the faces of the grid reaches through gaps wider than
// two radii. If the seed is outside, fillExterior changes nothing and reports false. The radius
// is in metres.
//
// Captures of rooms have holes where nobody looked, such as behind a sofa or in a window.
// Dilating the walls closes these holes for the flood. Dilating the flooded space extends it to
// the walls again.
func (g *grid) fillExterior(ctx context.Context, radius float64, seed [3]float64, workers int) (bool, error) {
	around := g.voxels(radius)
	blocked := g.empty()
	copy(blocked.bits, g.bits)
	blocked.dilate(around, around, workers)
	f := newFlood(blocked)
	f.seedFaces()
	if err := f.run(ctx); err != nil {
		return false, err
	}
	at := g.voxelAt(seed)
	if !g.contains(at[0], at[1], at[2]) || f.reached.has(at[0], at[1], at[2]) {
		return false, nil
	}
	f.reached.dilate(around, around, workers)
	for i, w := range f.reached.bits {
		g.bits[i] |= w
	}
	g.cropTo(true, 1)
	return true, nil
}
