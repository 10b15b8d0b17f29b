package voxel

import "context"

// Capsule is the size of a person, in metres.
type Capsule struct{ Height, Radius float64 }

// carve makes all voxels solid that a capsule cannot reach from the seed, and crops the grid to
// the others. It reports false, and changes nothing, if the seed is outside of the grid or there
// is no space for a capsule near it. The capsule is a box here, as in splat-transform.
//
// After the solid voxels are dilated by half the capsule's size, the free voxels are the possible
// positions of its centre. The flood finds the positions that it can reach. Dilated by the same
// size, they are the space that its body sweeps. All other voxels become solid, so that the result
// has no details of rooms that nobody can enter. The seed and the size of the capsule are in
// metres.
func (g *grid) carve(ctx context.Context, c Capsule, seed [3]float64, workers int) (bool, error) {
	// The capsule is upright: it needs its radius to each side, and half its height up and down.
	horizontal, vertical := g.voxels(c.Radius), g.voxels(c.Height/2)
	at := g.voxelAt(seed)
	if !g.contains(at[0], at[1], at[2]) {
		return false, nil
	}
	at, ok := g.nearestFree(at, horizontal, vertical)
	if !ok {
		return false, nil
	}
	g.dilate(horizontal, vertical, workers)
	f := newFlood(g) // from now on g contains the reached voxels
	f.seed(at[1], at[2], at[0]>>6, 1<<(at[0]&63))
	if err := f.run(ctx); err != nil {
		return false, err
	}
	g.dilate(horizontal, vertical, workers)
	g.cropTo(false, 1)
	g.invert()
	return true, nil
}

// nearestFree returns the first voxel around which a box of these half sizes contains no solid
// voxel. It searches outwards from the centre, up to twice the larger size: a start that a file
// suggests is often a little inside a floor or a wall.
func (g *grid) nearestFree(centre [3]int, horizontal, vertical int) (at [3]int, ok bool) {
	for r := range 2*max(horizontal, vertical) + 1 {
		for dz := -r; dz <= r; dz++ {
			for dy := -r; dy <= r; dy++ {
				// Only the surface of the cube of this radius is new. The inside was searched
				// before.
				step := 1
				if max(dz, -dz) != r && max(dy, -dy) != r {
					step = 2 * r // the two faces across x
				}
				for dx := -r; dx <= r; dx += max(1, step) {
					x, y, z := centre[0]+dx, centre[1]+dy, centre[2]+dz
					if g.contains(x, y, z) && !g.hasSolid(x, y, z, horizontal, vertical) {
						return [3]int{x, y, z}, true
					}
				}
			}
		}
	}
	return at, false
}

// hasSolid reports whether the box around x, y, z contains a solid voxel.
func (g *grid) hasSolid(x, y, z, horizontal, vertical int) bool {
	// A row is compared word by word, with masks for the voxels outside of the box in the first and
	// the last word. In fine grids many boxes are tested, and most are refused by the first word.
	first, last := max(0, x-horizontal), min(g.nx-1, x+horizontal)
	for v := max(0, y-vertical); v <= min(g.ny-1, y+vertical); v++ {
		for w := max(0, z-horizontal); w <= min(g.nz-1, z+horizontal); w++ {
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
