package palette

import "math"

// gridSize is how many places the borders of a codebook are chosen from, eight
// for each. Where no more values differ the choice is the best there is.
const gridSize = 8 * codebookSize

// grid is a number of ranges of runs that are not parted, and for each border
// what the runs before it have: their weight, their sum and that of their squares,
// about the mean of all.
type grid struct {
	starts                 []int
	weights, sums, squares []float64
}

// newGrid returns a grid of at most size ranges. Their density is the cube root
// of that of the values, as that of the best codebook is (Panter and Dite,
// Quantization distortion in pulse-count modulation with nonuniform spacing of
// levels, 1951).
func newGrid(r runs, size int) *grid {
	g := &grid{starts: r.starts(size)}
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

// starts returns the first runs of at most size ranges, and the end.
func (r runs) starts(size int) []int {
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
	step := stepOf(weights, size)
	past := 0.0
	for gap, weight := range weights {
		if past += float64(weight); past >= step && len(starts) < size {
			starts = append(starts, gap+1)
			past = 0
		}
	}
	return append(starts, last+1)
}

// stepOf returns the weight of each range, if ranges end at every gap that alone
// has more: otherwise a value far from all would have a part of the grid for the
// nothing before it.
func stepOf(weights []float32, size int) float64 {
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

// cost returns the sum of the squared distances to their mean of the values
// between two borders.
func (g *grid) cost(from, to int) float64 {
	sum := g.sums[to] - g.sums[from]
	return g.squares[to] - g.squares[from] - sum*sum/(g.weights[to]-g.weights[from])
}
