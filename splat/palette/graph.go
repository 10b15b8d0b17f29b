package palette

import (
	"context"
	"slices"
)

// graph is an approximate k-nearest-neighbour graph of the entries. It is built by
// NN-descent: neighbours of neighbours are likely neighbours (Dong, Moses and Li,
// Efficient k-nearest neighbor graph construction, WWW 2011). The result is nearly
// exact, and its cost per entry does not depend on the number of entries. Distances
// are between the entries' prefixes.
type graph struct {
	degree int
	// neighbours contains degree entries for each entry, nearest first after descend.
	// Workers read it while descend writes to next.
	neighbours, next []uint32
	prefixes         []prefix           // of the entries at the last connectAdjacent or descend
	finders          []*neighbourFinder // one for each worker
}

// newGraph returns a graph in which each entry has degree neighbours, or all other
// entries if there are fewer. The caller fills it with connectAdjacent.
func newGraph(entries, degree, workers int) *graph {
	degree = min(degree, entries-1)
	g := &graph{degree: degree,
		neighbours: make([]uint32, entries*degree),
		next:       make([]uint32, entries*degree),
		prefixes:   make([]prefix, entries)}
	for range workers {
		g.finders = append(g.finders, newNeighbourFinder(g.prefixes, degree))
	}
	return g
}

// neighboursOf returns the neighbours of an entry, in the graph's own memory.
func (g *graph) neighboursOf(entry uint32) []uint32 {
	return g.neighbours[int(entry)*g.degree : (int(entry)+1)*g.degree]
}

// updatePrefixes sets the prefixes to the current entries.
func (g *graph) updatePrefixes(entries rows) {
	for i := range g.prefixes {
		g.prefixes[i] = prefix(entries.at(uint32(i)))
	}
}

// connectAdjacent gives each entry the nearest of the entries with similar indices.
// After the tree, entries with similar indices are near each other.
func (g *graph) connectAdjacent(ctx context.Context, entries rows, w *workers) error {
	g.updatePrefixes(entries)
	return w.forEachBlock(ctx, entries.len(), func(from, to, worker int) {
		f := g.finders[worker]
		around := make([]uint32, 0, 2*g.degree)
		for i := from; i < to; i++ {
			around = around[:0]
			for away := 1; away <= g.degree; away++ {
				if i-away >= 0 {
					around = append(around, uint32(i-away))
				}
				if i+away < len(g.prefixes) {
					around = append(around, uint32(i+away))
				}
			}
			f.reset(uint32(i))
			f.consider(uint32(i), around)
			f.copyNumbers(g.neighboursOf(uint32(i)))
		}
	})
}

// descend is one iteration of NN-descent: each entry gets the nearest of its
// neighbours and of the neighbours of its first neighbours, expansions of them.
//
// It reads neighbours and writes next, so that the result does not depend on which worker is first,
// and exchanges both at the end.
func (g *graph) descend(ctx context.Context, entries rows, expansions int, w *workers) error {
	g.updatePrefixes(entries)
	err := w.forEachBlock(ctx, entries.len(), func(from, to, worker int) {
		f := g.finders[worker]
		for i := from; i < to; i++ {
			own := g.neighboursOf(uint32(i))
			f.reset(uint32(i))
			f.consider(uint32(i), own)
			for _, j := range own[:min(expansions, len(own))] {
				f.consider(uint32(i), g.neighboursOf(j))
			}
			f.copyNumbers(g.next[i*g.degree:])
		}
	})
	g.neighbours, g.next = g.next, g.neighbours
	return err
}

// insert connects an entry that has moved beside a neighbour: it gets the
// neighbour's neighbours, and each gets the other. No list contains an entry twice,
// or the entry that it belongs to.
func (g *graph) insert(entry, neighbour uint32) {
	own, near := g.neighboursOf(neighbour), g.neighboursOf(entry)
	copy(near, own)
	if i := slices.Index(near, entry); i >= 0 {
		near[i] = neighbour
		return
	}
	near[len(near)-1] = neighbour
	own[len(own)-1] = entry
}
