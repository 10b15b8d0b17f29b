package palette

import (
	"math"
	"slices"
	"sort"
)

const (
	// maxSpread is the largest error that narrow accepts, in multiples of the root of
	// the mean squared error.
	maxSpread = 5.5
	// maxNarrowed is the maximum number of ranges that narrow divides, and
	// maxNarrowingCost the maximum factor by which the squared error grows.
	maxNarrowed      = 16
	maxNarrowingCost = 1.006
)

// narrow divides the ranges whose values are farthest from their mean, and joins the
// neighbours that lose least by it, so that the number of ranges stays the same. The sum
// of the squared errors, which the ranges minimise, says little about the largest error:
// the few values at the ends of a distribution add almost nothing to it.
func (r distribution) narrow(starts []int) {
	total := r.squaredError(starts)
	limit := maxSpread * math.Sqrt(total/r.weights[len(r.values)])
	before := make([]int, len(starts))
	for range maxNarrowed {
		copy(before, starts)
		if !r.divideWidest(starts, limit) {
			return
		}
		r.balance(starts, limit)
		if r.squaredError(starts) > maxNarrowingCost*total {
			copy(starts, before)
			return
		}
	}
}

// divideWidest divides the range with the largest spread and joins two others. It reports
// whether it did so; it does not if the spread is within the limit.
func (r distribution) divideWidest(starts []int, limit float64) bool {
	widest, spread := r.widest(starts)
	if spread <= limit {
		return false
	}
	from, to := starts[widest], starts[widest+1]
	middle := (float64(r.values[from]) + float64(r.values[to-1])) / 2
	border := from + sort.Search(to-from-1, func(i int) bool { return float64(r.values[from+i]) > middle })
	joined := r.cheapestJoin(starts, widest, limit)
	if joined < 0 || border == from {
		return false
	}
	starts[joined+1] = border
	slices.Sort(starts)
	return true
}

// balance moves the borders between the wide ranges at both ends to where they lose least.
// The borders of the wide ranges stay, because they would move back.
func (r distribution) balance(starts []int, limit float64) {
	const rounds = 20
	first, last := 0, len(starts)-1 // the ranges between are balanced
	for i := range len(starts) - 1 {
		if r.spread(starts[i], starts[i+1]) < limit/2 {
			continue
		}
		if i < len(starts)/2 {
			first = i + 1
		} else {
			last = min(last, i)
		}
	}
	for range rounds {
		if last-first < 2 || !r.lloydStep(starts[first:last+1]) {
			return
		}
	}
}

// squaredError returns the sum of the squared distances of all values from the means of
// their ranges.
func (r distribution) squaredError(starts []int) (sum float64) {
	for i := range len(starts) - 1 {
		mean := r.mean(starts[i], starts[i+1])
		for at := starts[i]; at < starts[i+1]; at++ {
			off := float64(r.values[at]) - mean
			sum += (r.weights[at+1] - r.weights[at]) * off * off
		}
	}
	return sum
}

// spread returns the largest distance of a value in [from, to) from the mean.
func (r distribution) spread(from, to int) float64 {
	mean := r.mean(from, to)
	return max(mean-float64(r.values[from]), float64(r.values[to-1])-mean)
}

// widest returns the range with the largest spread.
func (r distribution) widest(starts []int) (widest int, spread float64) {
	for i := range len(starts) - 1 {
		if s := r.spread(starts[i], starts[i+1]); s > spread {
			widest, spread = i, s
		}
	}
	return widest, spread
}

// cheapestJoin returns the range that adds least to the squared error when it is joined
// with the next. It considers neither the widest range nor pairs that would have a larger
// spread than the limit. It returns -1 if there is none.
func (r distribution) cheapestJoin(starts []int, widest int, limit float64) int {
	joined, cost := -1, math.Inf(1)
	for i := range len(starts) - 2 {
		if i == widest || i+1 == widest || r.spread(starts[i], starts[i+2]) > limit {
			continue
		}
		left := r.weights[starts[i+1]] - r.weights[starts[i]]
		right := r.weights[starts[i+2]] - r.weights[starts[i+1]]
		off := r.mean(starts[i], starts[i+1]) - r.mean(starts[i+1], starts[i+2])
		if added := left * right / (left + right) * off * off; added < cost {
			joined, cost = i, added
		}
	}
	return joined
}
