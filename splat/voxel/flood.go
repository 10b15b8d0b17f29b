package voxel

import "context"

// flood is a flood fill: it finds the voxels that can be reached from seeds by steps along the axes
// through voxels that are not blocked. It works on rows and not on voxels: one visit fills a row
// along x and seeds its four neighbours, 64 voxels at a time. A row may be queued several times,
// but not while it is in the queue.
type flood struct {
	reached *grid
	blocked *packed
	queue   []int32 // rows to spread from, as y*nz + z
	queued  []bool
}

// newFlood returns a flood without seeds. It reuses the grid, which contains the reached voxels
// from then on, because a second grid of fine voxels would take too much memory.
func newFlood(blocked *grid) *flood {
	f := &flood{reached: blocked, blocked: blocked.pack(), queued: make([]bool, blocked.ny*blocked.nz)}
	clear(f.reached.bits)
	return f
}

// seed adds those voxels of a word of a row that are not blocked.
func (f *flood) seed(y, z, word int, voxels uint64) {
	g, row := f.reached, y*f.reached.nz+z
	reached := &g.bits[row*g.words+word]
	added := voxels &^ *reached
	if added == 0 {
		return // this is the usual case, and looking up the blocked voxels takes longer
	}
	if word == g.words-1 {
		added &= g.lastWord()
	}
	if added &^= f.blocked.word(row, word); added == 0 {
		return
	}
	*reached |= added
	if !f.queued[row] {
		f.queued[row] = true
		f.queue = append(f.queue, int32(row))
	}
}

// seedFaces adds all free voxels on the faces of the grid.
func (f *flood) seedFaces() {
	g := f.reached
	for y := range g.ny {
		for z := range g.nz {
			if y == 0 || y == g.ny-1 || z == 0 || z == g.nz-1 {
				for word := range g.words {
					f.seed(y, z, word, ^uint64(0))
				}
				continue
			}
			f.seed(y, z, 0, 1)
			f.seed(y, z, g.words-1, 1<<((g.nx-1)&63))
		}
	}
}

// run fills all voxels that the seeds reach.
func (f *flood) run(ctx context.Context) error {
	g, blocked := f.reached, make([]uint64, f.reached.words)
	for n := 0; len(f.queue) > 0; n++ {
		if n%contextInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		// The queue is a stack, because the rows that were added last are in the cache.
		row := int(f.queue[len(f.queue)-1])
		f.queue = f.queue[:len(f.queue)-1]
		f.queued[row] = false
		y, z := row/g.nz, row%g.nz
		reached := g.row(y, z)
		f.blocked.unpack(row, blocked)
		spreadRow(reached, blocked, g.lastWord())
		for word, w := range reached {
			if w == 0 {
				continue
			}
			if y > 0 {
				f.seed(y-1, z, word, w)
			}
			if y+1 < g.ny {
				f.seed(y+1, z, word, w)
			}
			if z > 0 {
				f.seed(y, z-1, word, w)
			}
			if z+1 < g.nz {
				f.seed(y, z+1, word, w)
			}
		}
	}
	return nil
}

// spreadRow spreads the reached voxels of a row along x up to blocked voxels. One pass up and one
// pass down are enough: each voxel that the second pass adds is connected to a voxel that the first
// pass has already spread upwards. last is the mask of the row's last word.
func spreadRow(reached, blocked []uint64, last uint64) {
	carry := uint64(0)
	for i, w := range reached {
		free := ^blocked[i]
		if i == len(reached)-1 {
			free &= last
		}
		w |= carry & free
		w = spreadUp(w, free)
		reached[i], carry = w, w>>63
	}
	carry = 0
	for i := len(reached) - 1; i >= 0; i-- {
		free := ^blocked[i]
		w := spreadDown(reached[i]|carry<<63&free, free)
		reached[i], carry = w, w&1
	}
}

// spreadUp spreads voxels through free voxels towards the highest bit. It is the parallel prefix of
// Kogge and Stone, which chess programs call occluded fill: after the step with a shift, free
// contains the voxels that have that many free voxels before them.
func spreadUp(w, free uint64) uint64 {
	for shift := 1; shift < 64; shift *= 2 {
		w |= free & (w << shift)
		free &= free << shift
	}
	return w
}

// spreadDown spreads voxels through free voxels towards the lowest bit.
func spreadDown(w, free uint64) uint64 {
	for shift := 1; shift < 64; shift *= 2 {
		w |= free & (w >> shift)
		free &= free >> shift
	}
	return w
}
