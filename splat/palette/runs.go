package palette

import (
	"slices"
	"sort"
)

// evenShare is the part of the weight of all values that is spread evenly from
// the least to the greatest. Few splats are very thin; this keeps their relative
// error near that of the many, at 2 % more error in all.
const evenShare = 0.01

// runs are the distinct ones of some values, ascending. The weight of those
// before each, which is their number and what evenShare adds, and the weighted
// sum are kept with one more element for the end, so that the mean of a range is
// one division.
type runs struct {
	values        []float32
	weights, sums []float64
}

// newRuns sorts the finite ones of some values.
func newRuns(values []float32) runs {
	keys := sortedKeys(values)
	n := 0
	for i, key := range keys {
		if i == 0 || key != keys[i-1] {
			n++
		}
	}
	r := runs{make([]float32, 0, n), make([]float64, 0, n+1), make([]float64, n+1)}
	for i, key := range keys {
		if i == 0 || key != keys[i-1] {
			r.values = append(r.values, keyValue(key))
			r.weights = append(r.weights, float64(i))
		}
	}
	r.weights = append(r.weights, float64(len(keys)))
	r.weigh()
	return r
}

// weigh makes weights of numbers, and sums.
func (r runs) weigh() {
	last := len(r.values) - 1
	if last < 1 {
		return
	}
	low, high := float64(r.values[0]), float64(r.values[last])
	density := evenShare * r.weights[last+1] / (high - low)
	before := 0.0 // what is added to the runs up to here
	for i, v := range r.values {
		left, right := r.values[max(0, i-1)], r.values[min(last, i+1)]
		added := density * (float64(right) - float64(left)) / 2
		weight := r.weights[i+1] - r.weights[i] + added
		r.weights[i] += before
		before += added
		r.sums[i+1] = r.sums[i] + weight*float64(v)
	}
	r.weights[last+1] += before
}

// mean returns that of a range of values, to not included. It lies among them
// even where the sums have lost them beside much greater ones.
func (r runs) mean(from, to int) float64 {
	mean := (r.sums[to] - r.sums[from]) / (r.weights[to] - r.weights[from])
	return max(float64(r.values[from]), min(float64(r.values[to-1]), mean))
}

// divide returns at most size means that stand for the runs: the best ones with
// borders on a fine grid, moved from there as Lloyd's k-means does, which sums of
// ranges make cheap in one dimension.
func (r runs) divide(size int) []float32 {
	const rounds = 50
	if len(r.values) <= size {
		return r.values
	}
	starts := newGrid(r, gridSize).cut(size)
	for range rounds {
		if !r.improve(starts) {
			break
		}
	}
	means := make([]float32, size)
	for i := range means {
		means[i] = float32(r.mean(starts[i], starts[i+1]))
	}
	return slices.Compact(means)
}

// improve moves the borders of the ranges halfway between their means and
// returns whether any has moved.
func (r runs) improve(starts []int) bool {
	moved := false
	left := r.mean(starts[0], starts[1])
	for i := 1; i < len(starts)-1; i++ {
		right := r.mean(starts[i], starts[i+1])
		middle := (left + right) / 2
		from := starts[i-1] + 1
		border := from + sort.Search(starts[i+1]-from, func(j int) bool {
			return float64(r.values[from+j]) > middle
		})
		moved = moved || border != starts[i]
		starts[i], left = border, right
	}
	r.spread(starts)
	return moved
}

// spread moves borders so that no range is empty.
func (r runs) spread(starts []int) {
	ranges := len(starts) - 1
	for i := 1; i < ranges; i++ {
		starts[i] = max(starts[i], starts[i-1]+1)
	}
	for i := ranges - 1; i > 0; i-- {
		starts[i] = min(starts[i], starts[i+1]-1)
	}
}
