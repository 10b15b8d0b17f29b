package voxel

import (
	"context"
	"math"
)

// voxels returns a distance in voxels, rounded up.
func (g *grid) voxels(distance float64) int { return int(math.Ceil(distance / g.resolution)) }

// fillFloor makes solid what is below floors: the space under the lowest solid voxel of each
// column. Holes in floors of up to two radii count as floor. Columns without a floor become
// solid as a whole. The radius is in metres.
//
// It goes upwards plane by plane and keeps the columns that have met no floor yet. The plane is
// widened before the comparison, which closes holes, and what remains open is widened after it
// by the same radius, which brings the fill up to the floor's real edge.
func (g *grid) fillFloor(radius float64) {
	across := 0
	if radius > 0 {
		across = g.voxels(radius)
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
		g.dilatePlane(found, spare, across)
		below := uint64(0)
		for i, solid := range found {
			open[i] &^= solid
			found[i] = open[i]
			below |= open[i]
		}
		if below == 0 {
			return // every column has met its floor
		}
		g.dilatePlane(found, spare, across)
		for i, w := range found {
			plane[i] |= w
		}
	}
}

// fillExterior makes solid what is outside of a closed room, reached from the faces of the grid
// through gaps wider than two radii, and crops the grid to the room. If the seed is outside, it
// changes nothing and reports false. The radius is in metres.
//
// Captures of rooms have holes where nobody looked, behind a sofa or in a window. Widening the
// walls closes them for the flood; widening what it reached brings it back to the wall.
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
