package palette

import (
	"context"
	"math"
	"slices"
)

// graph knows for each entry a number of others that are near, at first nearest
// first. It is found by asking neighbours for their neighbours (Dong, Moses and Li,
// Efficient k-nearest neighbor graph construction, WWW 2011), so it is nearly
// exact, at a cost that does not depend on the number of entries.
type graph struct {
	degree int
	// near holds degree numbers for each entry; spare is what descend writes, so
	// that what one worker writes no other reads.
	near, spare []uint32
	finders     []*finder // one for each worker
}

// finder gathers the nearest entries of one. It is for one goroutine.
type finder struct {
	numbers   []uint32
	distances []float32 // squared, ascending
	// An entry has been offered if its element of stamps is stamp: to begin anew
	// is to count one up.
	stamps []uint32
	stamp  uint32
}

// newGraph returns a graph of so many neighbours, or of all where entries are
// fewer, that start is to fill.
func newGraph(entries, degree, workers int) *graph {
	degree = min(degree, entries-1)
	g := &graph{degree: degree,
		near:  make([]uint32, entries*degree),
		spare: make([]uint32, entries*degree)}
	for range workers {
		g.finders = append(g.finders, &finder{
			numbers:   make([]uint32, 0, degree),
			distances: make([]float32, 0, degree),
			stamps:    make([]uint32, entries),
		})
	}
	return g
}

// of returns the neighbours of an entry, which is the memory of the graph.
func (g *graph) of(entry uint32) []uint32 {
	return g.near[int(entry)*g.degree : (int(entry)+1)*g.degree]
}

// start joins entries whose numbers are near, as they are after a tree.
func (g *graph) start(ctx context.Context, entries rows, w *workers) error {
	n := entries.len()
	return w.blocks(ctx, n, func(from, to, worker int) {
		f := g.finders[worker]
		for i := from; i < to; i++ {
			f.begin(uint32(i))
			low := max(0, min(i-g.degree, n-1-2*g.degree))
			for j := low; j <= min(n-1, low+2*g.degree); j++ {
				f.offer(entries, uint32(i), uint32(j))
			}
			copy(g.of(uint32(i)), f.numbers)
		}
	})
}

// descend gives every entry the nearest of its neighbours and of the neighbours
// of the first of these.
func (g *graph) descend(ctx context.Context, entries rows, first int, w *workers) error {
	err := w.blocks(ctx, entries.len(), func(from, to, worker int) {
		f := g.finders[worker]
		for i := from; i < to; i++ {
			f.begin(uint32(i))
			own := g.of(uint32(i))
			for _, j := range own {
				f.offer(entries, uint32(i), j)
			}
			for _, j := range own[:min(first, len(own))] {
				for _, l := range g.of(j) {
					f.offer(entries, uint32(i), l)
				}
			}
			copy(g.spare[i*g.degree:(i+1)*g.degree], f.numbers)
		}
	})
	g.near, g.spare = g.spare, g.near
	return err
}

// join makes an entry that has moved beside another one its neighbour, and gives
// it the neighbours of that. No list names an entry twice, or its own.
func (g *graph) join(entry, beside uint32) {
	own, near := g.of(beside), g.of(entry)
	copy(near, own)
	if i := slices.Index(near, entry); i >= 0 {
		near[i] = beside
		return
	}
	near[len(near)-1] = beside
	own[len(own)-1] = entry
}

// begin forgets what was gathered, and refuses the entry itself.
func (f *finder) begin(entry uint32) {
	f.numbers, f.distances = f.numbers[:0], f.distances[:0]
	f.stamp++
	f.stamps[entry] = f.stamp
}

// offer takes a candidate among the nearest if it is one of them.
func (f *finder) offer(entries rows, entry, candidate uint32) {
	if f.stamps[candidate] == f.stamp {
		return
	}
	f.stamps[candidate] = f.stamp
	limit := float32(math.MaxFloat32)
	full := len(f.numbers) == cap(f.numbers)
	if full {
		limit = f.distances[len(f.distances)-1]
	}
	d := distance(entries.at(entry), entries.at(candidate), limit)
	if !(d < limit) && full {
		return
	}
	if !full {
		f.numbers, f.distances = append(f.numbers, 0), append(f.distances, 0)
	}
	i := len(f.numbers) - 1
	for ; i > 0 && f.distances[i-1] > d; i-- {
		f.distances[i], f.numbers[i] = f.distances[i-1], f.numbers[i-1]
	}
	f.distances[i], f.numbers[i] = d, candidate
}
