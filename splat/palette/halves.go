package palette

import "math"

// halves are two means of the points of an entry. They are for one goroutine and
// keep their memory.
type halves struct {
	means, sums [2][]float32
	counts      [2]int
}

// newHalves returns halves for points of a padded length.
func newHalves(width int) *halves {
	h := new(halves)
	for side := range h.means {
		h.means[side], h.sums[side] = make([]float32, width), make([]float32, width)
	}
	return h
}

// find sets the means for some points and returns by how much two entries there
// lower the error of one.
func (h *halves) find(points rows, members []uint32) float32 {
	const rounds = 2
	switch len(members) {
	case 0, 1:
		return 0
	case 2:
		copy(h.means[0], points.at(members[0]))
		copy(h.means[1], points.at(members[1]))
		return distance(h.means[0], h.means[1], math.MaxFloat32) / 2
	}
	points.mean(members, h.means[0])
	edge := farthest(points, members, h.means[0])
	copy(h.means[0], edge)
	copy(h.means[1], farthest(points, members, edge))
	for range rounds {
		if !h.round(points, members) {
			return 0
		}
	}
	n0, n1 := float32(h.counts[0]), float32(h.counts[1])
	return distance(h.means[0], h.means[1], math.MaxFloat32) * (n0 * n1 / (n0 + n1))
}

// farthest returns the point that is farthest from a place.
func farthest(points rows, members []uint32, from []float32) []float32 {
	best, most := members[0], float32(-1)
	for _, p := range members {
		if d := distance(points.at(p), from, math.MaxFloat32); d > most {
			best, most = p, d
		}
	}
	return points.at(best)
}

// round moves the means, and returns false if one has no points.
func (h *halves) round(points rows, members []uint32) bool {
	h.counts = [2]int{}
	clear(h.sums[0])
	clear(h.sums[1])
	for _, p := range members {
		row, side := points.at(p), 0
		if h.second(row) {
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

// second tells whether a point is nearer to the second mean.
func (h *halves) second(row []float32) bool {
	d := distance(row, h.means[0], math.MaxFloat32)
	return distance(row, h.means[1], d) < d
}
