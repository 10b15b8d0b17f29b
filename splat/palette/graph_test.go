package palette

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// scatteredRows returns random entries in the order of their first value, similar to the
// order after a tree.
func scatteredRows(n, width int) rows {
	r := rand.New(rand.NewPCG(1, 1))
	entries := newRows(n, width)
	for i := range n {
		for j := range width {
			entries.at(uint32(i))[j] = float32(r.NormFloat64() / float64(j+1))
		}
		entries.at(uint32(i))[0] = 4 * float32(i) / float32(n)
	}
	return entries
}

func TestGraph_lists_each_neighbour_once(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 3, 5, 40, 300} {
		entries := scatteredRows(n, 8)
		w := newWorkers(2, newProgress(nil))
		w.progress.setRounds(1)
		g := newGraph(n, 12, w.count)
		if err := g.connectAdjacent(t.Context(), entries, w); err != nil {
			t.Fatal(err)
		}
		for i := range uint32(3) { // some are neighbours already, others not
			if n > 3 {
				g.insert(i, i+1)
				g.insert(i, uint32(n)-1)
			}
		}
		if err := g.descend(t.Context(), entries, 4, w); err != nil {
			t.Fatal(err)
		}
		for i := range uint32(n) {
			near := slices.Sorted(slices.Values(g.neighboursOf(i)))
			if len(near) != min(12, n-1) || slices.Contains(near, i) || len(slices.Compact(near)) != min(12, n-1) {
				t.Fatalf("neighbours of %d of %d = %v, want %d others", i, n, g.neighboursOf(i), min(12, n-1))
			}
		}
	}
}

func TestGraph_finds_nearly_all_of_the_nearest(t *testing.T) {
	t.Parallel()
	const n, degree = 600, 16
	entries := scatteredRows(n, 8)
	w := newWorkers(2, newProgress(nil))
	w.progress.setRounds(1)
	g := newGraph(n, degree, w.count)
	if err := g.connectAdjacent(t.Context(), entries, w); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := g.descend(t.Context(), entries, 8, w); err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	for i := range uint32(n) {
		all := make([]float32, 0, n)
		for j := range uint32(n) {
			if j != i {
				all = append(all, distance(entries.at(i), entries.at(j), math.MaxFloat32))
			}
		}
		slices.Sort(all)
		for _, j := range g.neighboursOf(i) {
			if distance(entries.at(i), entries.at(j), math.MaxFloat32) <= all[degree-1] {
				found++
			}
		}
	}
	if got := float64(found) / (n * degree); got < 0.9 {
		t.Errorf("found %.3f of the nearest, want at least 0.9", got)
	}
}
