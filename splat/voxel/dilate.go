package voxel

import (
	"sync"
	"sync/atomic"
)

// dilate sets all voxels in a box around each voxel that is set: across voxels to each side
// along x and z, and along voxels up and down. A box is the product of three intervals, so
// three passes along one axis each do it, whatever its size.
func (g *grid) dilate(across, along, workers int) {
	g.dilateAcross(across, workers)
	g.dilateAlong(along, workers)
}

// dilateAcross dilates each plane along x and z.
func (g *grid) dilateAcross(radius, workers int) {
	if radius == 0 {
		return
	}
	parallel(g.ny, workers, func() func(int) {
		spare := make([]uint64, g.nz*g.words)
		return func(y int) { g.dilatePlane(g.plane(y), spare, radius) }
	})
}

// dilatePlane dilates a plane along x and z. Spare has the size of a plane.
func (g *grid) dilatePlane(plane, spare []uint64, radius int) {
	for at := 0; at < len(plane); at += g.words {
		dilateRow(plane[at:at+g.words], spare[:g.words], radius)
		plane[at+g.words-1] &= g.lastWord()
	}
	dilateRows(plane, spare, g.words, radius)
}

// dilateAlong dilates along y. Rows of one z are planes apart in memory, so each worker gathers
// them into a slab that fits its cache, and puts them back.
func (g *grid) dilateAlong(radius, workers int) {
	if radius == 0 {
		return
	}
	parallel(g.nz, workers, func() func(int) {
		slab, spare := make([]uint64, g.ny*g.words), make([]uint64, g.ny*g.words)
		return func(z int) {
			for y := range g.ny {
				copy(slab[y*g.words:], g.row(y, z))
			}
			dilateRows(slab, spare, g.words, radius)
			for y := range g.ny {
				copy(g.row(y, z), slab[y*g.words:])
			}
		}
	})
}

// widen calls step with shifts that together dilate by the radius: what covers n to each side
// covers n + shift after it is combined with itself, shifted both ways. A shift is at most n +
// 1, so that one side is enough: at the border the other is cut off. The covered distance
// doubles with each step, so a radius of r voxels takes about log2(r) of them.
func widen(radius, limit int, step func(shift int)) {
	for n := 0; n < radius; {
		shift := min(n+1, radius-n, limit)
		step(shift)
		n += shift
	}
}

// dilateRow dilates the bits of one row. It may set bits behind the row's end.
func dilateRow(row, spare []uint64, radius int) {
	// Most rows of a capture are empty.
	any := uint64(0)
	for _, w := range row {
		any |= w
	}
	if any == 0 {
		return
	}
	// A shift of less than a word needs no more than the neighbouring words.
	widen(radius, 63, func(shift int) {
		copy(spare, row)
		for i, w := range spare {
			w |= w<<shift | w>>shift
			if i > 0 {
				w |= spare[i-1] >> (64 - shift)
			}
			if i+1 < len(spare) {
				w |= spare[i+1] << (64 - shift)
			}
			row[i] = w
		}
	})
}

// dilateRows sets in each row what is set in the rows up to radius before and behind it.
func dilateRows(rows, spare []uint64, words, radius int) {
	widen(radius, radius, func(shift int) {
		copy(spare, rows)
		distance := min(shift*words, len(rows))
		for i, w := range spare[distance:] {
			rows[i] |= w
		}
		for i, w := range spare[:len(spare)-distance] {
			rows[distance+i] |= w
		}
	})
}

// parallel calls what start returns for 0 to n-1. Each worker calls start once, for the memory
// that it reuses. Workers take the next number when they are done with one, since some parts of
// a capture are crowded and most are empty.
func parallel(n, workers int, start func() func(int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range max(1, min(workers, n)) {
		group.Go(func() {
			work := start()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	group.Wait()
}
