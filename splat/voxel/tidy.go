package voxel

// cleanUp removes voxels that have none of their six neighbours, and sets voxels that have all six.
// It decides by the voxels before the call, so it needs copies of two planes: the plane that it
// changes, and the plane below, which it has changed already. The plane above is still unchanged.
// Neighbours outside of the grid count as not solid.
func (g *grid) cleanUp() {
	size := g.nz * g.words
	zero := make([]uint64, size)
	below, middle := make([]uint64, size), make([]uint64, size)
	for y := range g.ny {
		below, middle = middle, below
		if y == 0 {
			clear(below)
		}
		plane := g.plane(y)
		copy(middle, plane)
		above := zero
		if y+1 < g.ny {
			above = g.plane(y + 1)
		}
		for z := range g.nz {
			g.tidyRow(plane, below, middle, above, z)
		}
	}
}

// tidyRow tidies one row of a plane. Middle is a copy of the plane.
func (g *grid) tidyRow(plane, below, middle, above []uint64, z int) {
	at := z * g.words
	for i := range g.words {
		w := middle[at+i]
		left, right := w<<1, w>>1
		if i > 0 {
			left |= middle[at+i-1] >> 63
		}
		if i+1 < g.words {
			right |= middle[at+i+1] << 63
		}
		var front, back uint64
		if z > 0 {
			front = middle[at-g.words+i]
		}
		if z+1 < g.nz {
			back = middle[at+g.words+i]
		}
		down, up := below[at+i], above[at+i]
		anySet := left | right | front | back | down | up
		allSet := left & right & front & back & down & up
		// Most words are empty and do not change. The system allocates a page of memory only
		// when it is written, so they are not written.
		if tidy := w&anySet | allSet; tidy != w {
			plane[at+i] = tidy
		}
	}
}
