package voxel

import (
	"sync"
	"sync/atomic"
)

// dilate sets all voxels in a box around each voxel that is set: the box extends by horizontal
// voxels to each side along x and z, and by vertical voxels up and down. A box is the product of
// three intervals, so one pass along each axis is enough for any size. Both distances are numbers
// of voxels. It changes the grid in place.
func (g *grid) dilate(horizontal, vertical, workers int) {
	g.dilateHorizontally(horizontal, workers)
	g.dilateVertically(vertical, workers)
}

// dilateHorizontally dilates each plane along x and z.
func (g *grid) dilateHorizontally(radius, workers int) {
	if radius == 0 {
		return
	}
	runParallel(g.ny, workers, func() func(int) {
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

// dilateVertically dilates along y. The rows of one z are far apart in memory, so each worker
// copies them into a slab that fits into its cache, and back.
func (g *grid) dilateVertically(radius, workers int) {
	if radius == 0 {
		return
	}
	runParallel(g.nz, workers, func() func(int) {
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

// dilateInSteps calls step with shifts that together dilate by the radius. After bits were dilated
// by n, combining them with their copies shifted in both directions dilates them by n + shift. A
// shift is at most n + 1: then there is no gap even at a border, where one copy is cut off. The
// distance doubles with each step, so a radius of r voxels takes about log2(r) steps.
func dilateInSteps(radius, limit int, step func(shift int)) {
	for n := 0; n < radius; {
		shift := min(n+1, radius-n, limit)
		step(shift)
		n += shift
	}
}

// dilateRow dilates the bits of one row. It may set bits after the row's last voxel.
func dilateRow(row, spare []uint64, radius int) {
	// Most rows of a capture are empty.
	bits := uint64(0)
	for _, w := range row {
		bits |= w
	}
	if bits == 0 {
		return
	}
	// With a shift of less than a word, only the neighbouring words matter.
	dilateInSteps(radius, 63, func(shift int) {
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

// dilateRows combines each row with the rows up to radius before and after it.
func dilateRows(rows, spare []uint64, words, radius int) {
	dilateInSteps(radius, radius, func(shift int) {
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

// runParallel calls the function that start returns for 0 to n-1. Each worker calls start once, so
// that it can reuse memory. A worker gets the next number when it has finished one, because some
// parts of a capture take much longer than others. It returns after all of them have ended.
func runParallel(n, workers int, start func() func(int)) {
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
