package palette

import (
	"context"
	"slices"
)

// graph knows for each entry a number of others that are near, at first nearest
// first. It is found by asking neighbours for their neighbours (Dong, Moses and Li,
// Efficient k-nearest neighbor graph construction, WWW 2011), so it is nearly
// exact, at a cost that does not depend on the number of entries. How near they are
// is told by their sketches.
type graph struct {
	degree int
	// near holds degree numbers for each entry; spare is what descend writes, so
	// that what one worker writes no other reads.
	near, spare []uint32
	sketches    []sketch  // of the entries when start or descend looked
	finders     []*finder // one for each worker
}

// newGraph returns a graph of so many neighbours, or of all where entries are
// fewer, that start is to fill.
func newGraph(entries, degree, workers int) *graph {
	degree = min(degree, entries-1)
	g := &graph{degree: degree,
		near:     make([]uint32, entries*degree),
		spare:    make([]uint32, entries*degree),
		sketches: make([]sketch, entries)}
	for range workers {
		g.finders = append(g.finders, newFinder(g.sketches, degree))
	}
	return g
}

// of returns the neighbours of an entry, which is the memory of the graph.
func (g *graph) of(entry uint32) []uint32 {
	return g.near[int(entry)*g.degree : (int(entry)+1)*g.degree]
}

// draw makes the sketches of the entries as they are.
func (g *graph) draw(entries rows) {
	for i := range g.sketches {
		g.sketches[i] = sketch(entries.at(uint32(i)))
	}
}

// start joins entries whose numbers are near, as they are after a tree.
func (g *graph) start(ctx context.Context, entries rows, w *workers) error {
	g.draw(entries)
	return w.blocks(ctx, entries.len(), func(from, to, worker int) {
		f := g.finders[worker]
		around := make([]uint32, 0, 2*g.degree)
		for i := from; i < to; i++ {
			around = around[:0]
			for away := 1; away <= g.degree; away++ {
				if i-away >= 0 {
					around = append(around, uint32(i-away))
				}
				if i+away < len(g.sketches) {
					around = append(around, uint32(i+away))
				}
			}
			f.begin(uint32(i))
			f.offer(uint32(i), around)
			f.numbers(g.of(uint32(i)))
		}
	})
}

// descend gives every entry the nearest of its neighbours and of the neighbours
// of the first of these.
func (g *graph) descend(ctx context.Context, entries rows, first int, w *workers) error {
	g.draw(entries)
	err := w.blocks(ctx, entries.len(), func(from, to, worker int) {
		f := g.finders[worker]
		for i := from; i < to; i++ {
			own := g.of(uint32(i))
			f.begin(uint32(i))
			f.offer(uint32(i), own)
			for _, j := range own[:min(first, len(own))] {
				f.offer(uint32(i), g.of(j))
			}
			f.numbers(g.spare[i*g.degree:])
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
