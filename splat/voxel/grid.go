package voxel

import (
	"math"
	"math/bits"
)

// grid has one bit for each voxel of a box. A row of voxels along x is a number of whole words; the
// bits after the last voxel are zero. The rows of one y are a plane.
//
// Bit x%64 of word ((y*nz + z)*words + x/64) is the voxel x, y, z. A grid must not be used
// concurrently, except that goroutines may write to different words.
type grid struct {
	bounds     Bounds
	resolution float64
	nx, ny, nz int // voxels, multiples of blockSide
	words      int // in a row
	bits       []uint64
}

// newGrid returns an empty grid of an aligned box.
func newGrid(bounds Bounds, resolution float64) *grid {
	n := bounds.blocksPerAxis(resolution)
	g := &grid{bounds: bounds, resolution: resolution, nx: blockSide * n[0], ny: blockSide * n[1], nz: blockSide * n[2]}
	g.words = (g.nx + 63) / 64
	g.bits = make([]uint64, g.words*g.ny*g.nz)
	return g
}

// empty returns an empty grid of the same box.
func (g *grid) empty() *grid {
	e := *g
	e.bits = make([]uint64, len(g.bits))
	return &e
}

func (g *grid) row(y, z int) []uint64 {
	at := (y*g.nz + z) * g.words
	return g.bits[at : at+g.words]
}

// plane returns the words of all rows of y.
func (g *grid) plane(y int) []uint64 {
	size := g.nz * g.words
	return g.bits[y*size : (y+1)*size]
}

// has reports whether a voxel is set. Voxels outside of the grid are not set.
func (g *grid) has(x, y, z int) bool {
	return g.contains(x, y, z) && g.row(y, z)[x>>6]>>(x&63)&1 != 0
}

func (g *grid) set(x, y, z int) { g.row(y, z)[x>>6] |= 1 << (x & 63) }

// contains reports whether the grid has such a voxel.
func (g *grid) contains(x, y, z int) bool {
	return x >= 0 && y >= 0 && z >= 0 && x < g.nx && y < g.ny && z < g.nz
}

// voxelAt returns the voxel at a point, which may be outside of the grid.
func (g *grid) voxelAt(p [3]float64) (v [3]int) {
	for k := range 3 {
		v[k] = int(math.Floor((p[k] - g.bounds.Min[k]) / g.resolution))
	}
	return v
}

// lastWord returns the bits that may be set in the last word of a row.
func (g *grid) lastWord() uint64 { return ^uint64(0) >> (64*g.words - g.nx) }

// invert sets the voxels that are not set, and clears the others.
func (g *grid) invert() {
	last := g.lastWord()
	for at := 0; at < len(g.bits); at += g.words {
		row := g.bits[at : at+g.words]
		for i, w := range row {
			row[i] = ^w
		}
		row[g.words-1] &= last
	}
}

// block returns the mask of a block: bit x + 4y + 16z is its voxel x, y, z.
func (g *grid) block(bx, by, bz int) (mask uint64) {
	word, shift := bx>>4, (bx&15)*blockSide
	for z := range blockSide {
		for y := range blockSide {
			four := g.row(by*blockSide+y, bz*blockSide+z)[word] >> shift & 15
			mask |= four << (blockSide*y + blockSide*blockSide*z)
		}
	}
	return mask
}

// extent returns the box around the blocks that contain a voxel that is set, or with inverted,
// a voxel that is not set. high is exclusive. It reports whether there is such a block.
func (g *grid) extent(inverted bool) (low, high [3]int, ok bool) {
	flip, last := uint64(0), g.lastWord()
	if inverted {
		flip = ^flip
	}
	low = [3]int{g.nx, g.ny, g.nz}
	for y := range g.ny {
		for z := range g.nz {
			first, end := g.nx, 0
			for i, w := range g.row(y, z) {
				w ^= flip
				if i == g.words-1 {
					w &= last
				}
				if w != 0 {
					first = min(first, 64*i+bits.TrailingZeros64(w))
					end = 64*i + bits.Len64(w)
				}
			}
			if end > 0 {
				low = [3]int{min(low[0], first), min(low[1], y), min(low[2], z)}
				high = [3]int{max(high[0], end), y + 1, max(high[2], z+1)}
				ok = true
			}
		}
	}
	for k := range 3 {
		low[k], high[k] = low[k]/blockSide, (high[k]+blockSide-1)/blockSide
	}
	return low, high, ok
}

// crop reduces the grid to the blocks from low to high, exclusive. It allocates no memory. Rows and
// planes of the new grid are shorter, so their places in the memory change.
func (g *grid) crop(low, high [3]int) {
	n := [3]int{high[0] - low[0], high[1] - low[1], high[2] - low[2]}
	to := &grid{
		bounds: g.bounds.crop(low, high, g.resolution), resolution: g.resolution,
		nx: blockSide * n[0], ny: blockSide * n[1], nz: blockSide * n[2],
	}
	to.words = (to.nx + 63) / 64
	to.bits = g.bits[:to.words*to.ny*to.nz]
	skip, shift := low[0]*blockSide/64, low[0]*blockSide%64
	for y := range to.ny {
		for z := range to.nz {
			// In memory, the new row never starts after the old row, so no row is overwritten
			// before it was read.
			from, row := g.row(y+low[1]*blockSide, z+low[2]*blockSide)[skip:], to.row(y, z)
			for i := range row {
				w := from[i] >> shift
				if shift > 0 && i+1 < len(from) {
					w |= from[i+1] << (64 - shift)
				}
				row[i] = w
			}
			row[to.words-1] &= to.lastWord()
		}
	}
	*g = *to
}

// cropTo crops to the blocks that extent finds and margin blocks around them.
func (g *grid) cropTo(inverted bool, margin int) {
	low, high, ok := g.extent(inverted)
	if !ok {
		return
	}
	limit := [3]int{g.nx / blockSide, g.ny / blockSide, g.nz / blockSide}
	for k := range 3 {
		low[k], high[k] = max(0, low[k]-margin), min(limit[k], high[k]+margin)
	}
	g.crop(low, high)
}
