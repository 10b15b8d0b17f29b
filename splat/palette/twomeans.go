package palette

import "math"

// twoMeans is k-means with two means, for the points of one entry. It reuses its
// memory and must not be used concurrently.
type twoMeans struct {
	means, sums [2][]float32
	counts      [2]int
}

// newTwoMeans returns a twoMeans for rows of this width, which includes their padding.
func newTwoMeans(width int) *twoMeans {
	h := new(twoMeans)
	for side := range h.means {
		h.means[side], h.sums[side] = make([]float32, width), make([]float32, width)
	}
	return h
}

// find sets the means for some points and returns how much two entries instead of
// one lower their error.
//
// Few rounds are enough, because only the gain is compared, and movePoints improves the entries of
// a split afterwards.
func (h *twoMeans) find(points rows, members []uint32) float32 {
	const rounds = 2
	switch len(members) {
	case 0, 1:
		return 0
	case 2:
		copy(h.means[0], points.at(members[0]))
		copy(h.means[1], points.at(members[1]))
		return distance(h.means[0], h.means[1], math.MaxFloat32) / 2
	}
	// Start from two points that are far apart.
	points.setMean(members, h.means[0])
	edge := farthest(points, members, h.means[0])
	copy(h.means[0], edge)
	copy(h.means[1], farthest(points, members, edge))
	for range rounds {
		if !h.iterate(points, members) {
			return 0
		}
	}
	// The gain of a split is Ward's formula for the cost of the opposite merger.
	n0, n1 := float32(h.counts[0]), float32(h.counts[1])
	return distance(h.means[0], h.means[1], math.MaxFloat32) * (n0 * n1 / (n0 + n1))
}

// farthest returns the point that is farthest from a given position.
func farthest(points rows, members []uint32, from []float32) []float32 {
	best, maxDistance := members[0], float32(-1)
	for _, p := range members {
		if d := distance(points.at(p), from, math.MaxFloat32); d > maxDistance {
			best, maxDistance = p, d
		}
	}
	return points.at(best)
}

// iterate runs one round of Lloyd's algorithm. It returns false if a mean has no
// points.
func (h *twoMeans) iterate(points rows, members []uint32) bool {
	h.counts = [2]int{}
	clear(h.sums[0])
	clear(h.sums[1])
	for _, p := range members {
		row, side := points.at(p), 0
		if h.inSecond(row) {
			side = 1
		}
		h.counts[side]++
		sums := h.sums[side][:len(row)]
		for j, v := range row {
			sums[j] += v
		}
	}
	if h.counts[0] == 0 || h.counts[1] == 0 {
		return false
	}
	for side, sums := range h.sums {
		scale := 1 / float32(h.counts[side])
		for j, v := range sums {
			h.means[side][j] = v * scale
		}
	}
	return true
}

// inSecond reports whether a point is nearer to the second mean.
func (h *twoMeans) inSecond(row []float32) bool {
	d := distance(row, h.means[0], math.MaxFloat32)
	return distance(row, h.means[1], d) < d
}
