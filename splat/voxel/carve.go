package voxel

import "context"

// Capsule is the size of a person, in metres.
type Capsule struct{ Height, Radius float64 }

// carve makes solid everything that a capsule cannot get to from the seed, and crops the grid
// to the rest. It reports false, and changes nothing, if the seed is outside of the grid or no
// place for a capsule is near it. The capsule is a box here, as in the reference.
//
// Growing the solid voxels by the capsule's half size leaves the voxels where its centre may
// be. The flood finds the ones that it gets to, and growing these by the same size gives the
// space that its body sweeps. What is not swept becomes solid: viewers then need no data about
// rooms that nobody can enter.
func (g *grid) carve(ctx context.Context, c Capsule, seed [3]float64, workers int) (bool, error) {
	// A capsule stands, so it needs its radius on each side but half its height up and down.
	across, along := g.voxels(c.Radius), g.voxels(c.Height/2)
	at := g.voxelAt(seed)
	if !g.contains(at[0], at[1], at[2]) {
		return false, nil
	}
	at, ok := g.nearestFree(at, across, along)
	if !ok {
		return false, nil
	}
	g.dilate(across, along, workers)
	f := newFlood(g) // which makes of g what is reached
	f.seed(at[1], at[2], at[0]>>6, 1<<(at[0]&63))
	if err := f.run(ctx); err != nil {
		return false, err
	}
	g.dilate(across, along, workers)
	g.cropTo(false, 1)
	g.invert()
	return true, nil
}

// nearestFree returns the first voxel around the centre where a box of these half sizes holds
// no solid voxel, going outwards up to twice the larger size. A start that is given by a file
// often lies a little inside a floor or a wall.
func (g *grid) nearestFree(centre [3]int, across, along int) (at [3]int, ok bool) {
	for r := range 2*max(across, along) + 1 {
		for dz := -r; dz <= r; dz++ {
			for dy := -r; dy <= r; dy++ {
				// Only the surface of the cube of this radius is new: the inside was looked at
				// before.
				step := 1
				if max(dz, -dz) != r && max(dy, -dy) != r {
					step = 2 * r // the two faces across x
				}
				for dx := -r; dx <= r; dx += max(1, step) {
					x, y, z := centre[0]+dx, centre[1]+dy, centre[2]+dz
					if g.contains(x, y, z) && !g.hasSolid(x, y, z, across, along) {
						return [3]int{x, y, z}, true
					}
				}
			}
		}
	}
	return at, false
}

// hasSolid reports whether a voxel is solid in the box around x, y, z.
func (g *grid) hasSolid(x, y, z, across, along int) bool {
	// A row is compared by words, with masks for the voxels outside of the box in the first and
	// the last one. Fine grids test many places, and most fail in their first word.
	first, last := max(0, x-across), min(g.nx-1, x+across)
	for v := max(0, y-along); v <= min(g.ny-1, y+along); v++ {
		for w := max(0, z-across); w <= min(g.nz-1, z+across); w++ {
			row := g.row(v, w)
			for i := first >> 6; i <= last>>6; i++ {
				mask := ^uint64(0)
				if i == first>>6 {
					mask <<= first & 63
				}
				if i == last>>6 {
					mask &= ^uint64(0) >> (63 - last&63)
				}
				if row[i]&mask != 0 {
					return true
				}
			}
		}
	}
	return false
}
