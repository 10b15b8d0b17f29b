package palette

import "math"

// gridSize is the number of grid positions from which the borders of a codebook are
// chosen, eight per entry. With at most gridSize distinct values, the choice is
// optimal.
const gridSize = 8 * codebookSize

// grid divides a distribution into cells, which cut does not divide further. For each
// border between cells, it contains the weight, the sum and the sum of squares of all
// values before it. Sums are about the mean of all values, which keeps the squares
// small and their differences precise.
type grid struct {
	starts                 []int
	weights, sums, squares []float64
}

// newGrid returns a grid of at most size cells. The density of cells is the cube root
// of the density of values, which is optimal for codebooks (Panter and Dite,
// Quantization distortion in pulse-count modulation with nonuniform spacing of levels,
// 1951).
func newGrid(r distribution, size int) *grid {
	g := &grid{starts: r.gridStarts(size)}
	mean := r.mean(0, len(r.values))
	var weight, sum, square float64
	next := 0
	for _, start := range g.starts {
		for ; next < start; next++ {
			w, d := r.weights[next+1]-r.weights[next], float64(r.values[next])-mean
			weight, sum, square = weight+w, sum+w*d, square+w*d*d
		}
		g.weights = append(g.weights, weight)
		g.sums = append(g.sums, sum)
		g.squares = append(g.squares, square)
	}
	return g
}

// gridStarts returns the first value of each of at most size cells, and the end.
func (r distribution) gridStarts(size int) []int {
	last := len(r.values) - 1
	starts := make([]int, 1, size+1)
	if last < size {
		for i := range last {
			starts = append(starts, i+1)
		}
		return append(starts, last+1)
	}
	weights := make([]float32, last)
	for gap := range weights {
		width := float64(r.values[gap+1]) - float64(r.values[gap])
		weights[gap] = float32(math.Cbrt((r.weights[gap+2] - r.weights[gap]) * width * width))
	}
	limit := cellWeight(weights, size)
	total := 0.0
	for gap, weight := range weights {
		if total += float64(weight); total >= limit && len(starts) < size {
			starts = append(starts, gap+1)
			total = 0
		}
	}
	return append(starts, last+1)
}

// cellWeight returns the weight of a cell, if a cell ends at every gap that alone
// weighs more. Without this rule, an outlier would take a part of the grid for the
// empty range before it.
func cellWeight(weights []float32, size int) float64 {
	const rounds = 8
	step := math.Inf(1)
	for range rounds {
		rest, ranges := 0.0, size
		for _, weight := range weights {
			if float64(weight) >= step {
				ranges--
			} else {
				rest += float64(weight)
			}
		}
		if ranges < 1 || rest/float64(ranges) >= step {
			break
		}
		step = rest / float64(ranges)
	}
	return step
}

// cost returns the squared error of one entry for the values between two borders.
//
// For weights w, values v and their mean m it is the sum of w (v-m)^2, which is the sum of w v^2
// minus the square of the sum of w v divided by the sum of w. All three sums are differences of two
// that are known.
func (g *grid) cost(from, to int) float64 {
	sum := g.sums[to] - g.sums[from]
	return g.squares[to] - g.squares[from] - sum*sum/(g.weights[to]-g.weights[from])
}
