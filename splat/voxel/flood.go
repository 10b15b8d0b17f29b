package voxel

import "context"

// flood is a grid of the voxels that are reached from seeds through the voxels that are not
// blocked, by steps along the axes. It works on rows rather than on voxels: one visit spreads a
// whole row along x and offers it to its four neighbours, 64 voxels at a time.
type flood struct {
	reached *grid
	blocked *packed
	queue   []int32 // rows to spread from, as y*nz + z
	queued  []bool
}

// newFlood returns a flood without seeds. It takes the grid over, which has the reached voxels
// from then on: in fine voxels of a large place, a grid takes most of the memory.
func newFlood(blocked *grid) *flood {
	f := &flood{reached: blocked, blocked: blocked.pack(), queued: make([]bool, blocked.ny*blocked.nz)}
	clear(f.reached.bits)
	return f
}

// seed adds the free ones of the voxels in a word of a row.
func (f *flood) seed(y, z, word int, voxels uint64) {
	g, row := f.reached, y*f.reached.nz+z
	reached := &g.bits[row*g.words+word]
	added := voxels &^ *reached
	if added == 0 {
		return // most are reached already, and finding what blocks takes longer
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

// run spreads the seeds to all that they reach.
func (f *flood) run(ctx context.Context) error {
	g, blocked := f.reached, make([]uint64, f.reached.words)
	for n := 0; len(f.queue) > 0; n++ {
		if n%contextInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		// The last rows first: they are in the cache.
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

// spreadRow spreads the reached voxels of a row along x up to blocked ones. One pass up and one
// pass down are complete: whatever the second pass adds is joined to a voxel that the first
// pass has already spread upwards.
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

// spreadUp spreads voxels through free ones towards the highest bit. It is Kogge and Stone's
// parallel prefix, known from chess programs as the occluded fill: after the step of a shift,
// free holds the voxels with that many free ones before them.
func spreadUp(w, free uint64) uint64 {
	for shift := 1; shift < 64; shift *= 2 {
		w |= free & (w << shift)
		free &= free << shift
	}
	return w
}

// spreadDown spreads voxels through free ones towards the lowest bit.
func spreadDown(w, free uint64) uint64 {
	for shift := 1; shift < 64; shift *= 2 {
		w |= free & (w >> shift)
		free &= free >> shift
	}
	return w
}
