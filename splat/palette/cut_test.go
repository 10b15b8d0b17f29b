package palette

import (
	"math"
	"math/rand/v2"
	"testing"
)

// minError returns the error of the best cut of a grid. It tries all cuts by dynamic
// programming.
func minError(g *grid, size int) float64 {
	n := len(g.starts)
	best := make([]float64, n)
	for to := 1; to < n; to++ {
		best[to] = g.cost(0, to)
	}
	for ranges := 2; ranges <= size; ranges++ {
		for to := n - 1; to >= ranges; to-- { // from the end, so that best still has one range less
			best[to] = math.Inf(1)
			for b := ranges - 1; b < to; b++ {
				best[to] = min(best[to], best[b]+g.cost(b, to))
			}
		}
	}
	return best[n-1]
}

func TestGrid_cut_has_the_minimal_error(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for name, value := range map[string]func(i int) float64{
		"normal":                func(int) float64 { return r.NormFloat64() },
		"far apart":             func(int) float64 { return math.Sinh(6 * r.NormFloat64()) },
		"with one that is lost": func(i int) float64 { return float64(i%350) + 1e9*float64(i/351) },
		"where all prices tie":  func(i int) float64 { return float64(i) },
		"in pairs":              func(i int) float64 { return float64(i/2) + 0.01*float64(i%2) },
	} {
		values := make([]float32, 352)
		for i := range values {
			values[i] = float32(value(i))
		}
		runs := newDistribution(values)
		g := newGrid(runs, gridSize)
		for _, size := range []int{1, 2, 50, 256} {
			starts := g.cut(size)
			got := 0.0
			for i := range len(starts) - 1 {
				if starts[i] >= starts[i+1] {
					t.Fatalf("%s: borders %v, want them to rise", name, starts)
				}
				got += g.cost(starts[i], starts[i+1]) // each distinct value is a cell of the grid
			}
			if len(starts) != size+1 || starts[0] != 0 || starts[size] != len(runs.values) {
				t.Errorf("%s: %d ranges up to %d of %d, want %d", name, len(starts)-1, starts[len(starts)-1], len(runs.values), size)
			}
			rounding := 1e-14 * g.cost(0, len(g.starts)-1)
			if want := minError(g, size); got > want*(1+1e-9)+rounding {
				t.Errorf("%s: error of %d ranges = %v, want the minimum, %v", name, size, got, want)
			}
		}
	}
}
