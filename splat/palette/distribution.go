package palette

import (
	"slices"
	"sort"
)

// uniformShare is the part of the total weight that is spread evenly between the
// minimum and the maximum. Only a few splats are very thin; this keeps their relative
// error near the others' error, and adds 2 % to the total error.
const uniformShare = 0.01

// distribution is the cumulative distribution of some values. Values contains the
// distinct values, ascending. Weights and sums hold, for each value and for the end,
// the weight and the weighted sum of all smaller values, so that the mean of any range
// takes one division. A weight is the number of equal values plus the value's part of
// uniformShare.
type distribution struct {
	values        []float32
	weights, sums []float64
}

// newDistribution returns the distribution of the finite values.
func newDistribution(values []float32) distribution {
	keys := sortedKeys(values)
	n := 0
	for i, key := range keys {
		if i == 0 || key != keys[i-1] {
			n++
		}
	}
	r := distribution{make([]float32, 0, n), make([]float64, 0, n+1), make([]float64, n+1)}
	for i, key := range keys {
		if i == 0 || key != keys[i-1] {
			r.values = append(r.values, valueOfKey(key))
			r.weights = append(r.weights, float64(i))
		}
	}
	r.weights = append(r.weights, float64(len(keys)))
	r.addUniform()
	return r
}

// addUniform adds uniformShare to the weights, which are counts before, and sets the
// sums.
func (r distribution) addUniform() {
	last := len(r.values) - 1
	if last < 1 {
		return
	}
	low, high := float64(r.values[0]), float64(r.values[last])
	density := uniformShare * r.weights[last+1] / (high - low)
	before := 0.0 // added to the smaller values
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

// mean returns the mean of the values in [from, to). The result is always within their range: the
// difference of two sums loses small values after much larger ones (cancellation).
func (r distribution) mean(from, to int) float64 {
	mean := (r.sums[to] - r.sums[from]) / (r.weights[to] - r.weights[from])
	return max(float64(r.values[from]), min(float64(r.values[to-1]), mean))
}

// quantise returns at most size values that approximate the distribution: first the
// means of the best ranges with borders on a fine grid, then improved by Lloyd's
// k-means, which is fast in one dimension because the sums of ranges are known.
//
// The steps: divide the values into cells, choose the best borders between cells, improve the
// borders, and divide the ranges with the largest errors.
func (r distribution) quantise(size int) []float32 {
	const rounds = 50
	if len(r.values) <= size {
		return r.values
	}
	starts := newGrid(r, gridSize).cut(size)
	for range rounds {
		if !r.lloydStep(starts) {
			break
		}
	}
	r.narrow(starts)
	means := make([]float32, size)
	for i := range means {
		means[i] = float32(r.mean(starts[i], starts[i+1]))
	}
	return slices.Compact(means)
}

// lloydStep moves the borders to the midpoints between the means of their ranges, and
// reports whether any border has moved.
func (r distribution) lloydStep(starts []int) bool {
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
	r.separate(starts)
	return moved
}

// separate moves borders apart so that no range is empty.
func (r distribution) separate(starts []int) {
	ranges := len(starts) - 1
	for i := 1; i < ranges; i++ {
		starts[i] = max(starts[i], starts[i-1]+1)
	}
	for i := ranges - 1; i > 0; i-- {
		starts[i] = min(starts[i], starts[i+1]-1)
	}
}
