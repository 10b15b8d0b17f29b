package voxel

import (
	"cmp"
	"math"
	"slices"
)

// maxCandidates is the number of directions besides the axes that may be up.
const maxCandidates = 8

func axisVector(axis int) (d [3]float64) {
	d[axis] = 1
	return d
}

// nearestAxis returns the axis that a direction is nearest to.
func nearestAxis(d [3]float64) (axis int) {
	for k := range d {
		if math.Abs(d[k]) > math.Abs(d[axis]) {
			axis = k
		}
	}
	return axis
}

// dot returns the scalar product of two vectors.
func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// normalise returns the direction with a length of 1 and a positive largest coordinate. The length
// must not be 0. A direction and its opposite give the same result.
func normalise(d [3]float64) [3]float64 {
	length := math.Sqrt(dot(d, d))
	if d[nearestAxis(d)] < 0 {
		length = -length
	}
	for k := range d {
		d[k] /= length
	}
	return d
}

// candidates returns the directions that may be up: the axes; the normals of large surfaces that
// are nearly axes; and the normals with which floors and walls agree better than with the axes.
func candidates(pieces []piece) [][3]float64 {
	all := [][3]float64{axisVector(0), axisVector(1), axisVector(2)}
	for _, d := range normalsOf(pieces) {
		axis := nearestAxis(d)
		if d[axis] >= axisCos || agreement(pieces, d) > trustAxis*agreement(pieces, axisVector(axis)) {
			all = append(all, d)
		}
	}
	return all
}

// agreement returns the area of the floors and the walls if a direction is up. Directions are
// compared only with each other, so the unit of area does not matter.
func agreement(pieces []piece, d [3]float64) (area float64) {
	for _, p := range pieces {
		if c := math.Abs(dot(p.normal, d)); c > floorCos || c < wallSin {
			area += p.area
		}
	}
	return area
}

// normalsOf returns the most frequent normals by area, at least 15 degrees apart. A histogram
// over the faces of a cube finds the frequent directions. Each direction is then moved to the
// mean of the normals around it, three times, since the border of a cell may divide the normals
// of a wall.
func normalsOf(pieces []piece) (found [][3]float64) {
	// Cells on three faces of a cube: a normal and its opposite are one direction.
	const side = 24
	type cell struct {
		area float64
		sum  [3]float64
	}
	cells := make([]cell, 3*side*side)
	for _, p := range pieces {
		if p.area == 0 {
			continue
		}
		n := normalise(p.normal)
		axis := nearestAxis(n)
		at := func(k int) int { return min(side-1, int((n[(axis+k)%3]/n[axis]+1)/2*side)) }
		c := &cells[(axis*side+at(1))*side+at(2)]
		c.area += p.area
		for k := range n {
			c.sum[k] += p.area * n[k]
		}
	}
	slices.SortStableFunc(cells, func(a, b cell) int { return cmp.Compare(b.area, a.area) })
	for _, c := range cells {
		if c.area == 0 || len(found) == maxCandidates {
			break
		}
		d := normalise(c.sum)
		for range 3 {
			d = meanNormal(pieces, d)
		}
		isNew := func(other [3]float64) bool { return math.Abs(dot(d, other)) < math.Cos(15*math.Pi/180) }
		if !slices.ContainsFunc(found, func(other [3]float64) bool { return !isNew(other) }) {
			found = append(found, d)
		}
	}
	return found
}

// meanNormal returns the mean of the normals within 10 degrees of a direction.
func meanNormal(pieces []piece, d [3]float64) [3]float64 {
	var sum [3]float64
	for _, p := range pieces {
		c := dot(p.normal, d)
		if math.Abs(c) < agreesCos {
			continue
		}
		for k := range sum {
			sum[k] += math.Copysign(p.area, c) * p.normal[k]
		}
	}
	if dot(sum, sum) == 0 {
		return d
	}
	return normalise(sum)
}

// profile is the distribution of a capture along a direction.
type profile struct {
	// facing is the area that faces the direction, and all is the number of Gaussians, by
	// height.
	facing, all histogram
	// extent is the size of the capture along the direction.
	extent float64
}

// histogram has one value for each interval of height.
type histogram [heights]float64

// profileOf returns the profile of pieces along a direction. It ignores one percent at each end.
func profileOf(pieces []piece, d [3]float64) (a profile) {
	offsets := make([]float64, len(pieces))
	total := 0.0
	for i, p := range pieces {
		offsets[i] = dot(p.at, d)
		total += p.area
	}
	sorted := slices.Sorted(slices.Values(offsets))
	skip := len(sorted) / 100
	low := sorted[skip]
	a.extent = sorted[len(sorted)-1-skip] - low
	for i, p := range pieces {
		bin := int(max(0, min(heights-1, (offsets[i]-low)/max(a.extent, 1e-9)*heights)))
		a.all[bin]++
		if math.Abs(dot(p.normal, d)) > facesCos {
			a.facing[bin] += p.area / max(total, math.SmallestNonzeroFloat64)
		}
	}
	return a
}

// upsideDown reports whether most of the capture is below its ground. In a room the ceiling is
// as large as the floor. There the horizontal surfaces between the two decide, because tables
// and seats are in the lower half of a room.
func (a *profile) upsideDown() bool {
	ground := a.facing.peakAt()
	if ceiling, ok := a.facing.otherPeak(ground); ok {
		first, last := min(ground, ceiling)+4, max(ground, ceiling)-3
		lower, upper := 0.0, 0.0
		for i := first; i <= last; i++ {
			if 2*i < first+last {
				lower += a.facing[i]
			} else {
				upper += a.facing[i]
			}
		}
		if upper > trustUpright*lower || lower > trustUpright*upper {
			return upper > lower
		}
	}
	below, above := a.all.around(ground)
	return below > trustUpright*above
}

func (h *histogram) sum() (sum float64) {
	for _, v := range h {
		sum += v
	}
	return sum
}

// peak returns the largest share of the sum in two neighbouring bins, because a floor may be at the
// border of two bins.
func (h *histogram) peak() float64 {
	at, sum := h.peakAt(), h.sum()
	if sum == 0 {
		return 0
	}
	return (h[at] + h[at+1]) / sum
}

// peakAt returns the first of the two neighbouring bins with the largest sum.
func (h *histogram) peakAt() (at int) {
	for i := range heights - 1 {
		if h[i]+h[i+1] > h[at]+h[at+1] {
			at = i
		}
	}
	return at
}

// otherPeak returns the largest peak that is far from the first, and reports whether it is large
// enough for a ceiling or a floor.
func (h *histogram) otherPeak(first int) (at int, ok bool) {
	for i := range heights - 1 {
		if d := i - first; max(d, -d) >= heights/4 && (!ok || h[i]+h[i+1] > h[at]+h[at+1]) {
			at, ok = i, true
		}
	}
	return at, ok && h[at]+h[at+1] >= secondPlane*(h[first]+h[first+1])
}

// around returns the sums of the bins below and above the two bins of a peak. It skips one bin on
// each side.
func (h *histogram) around(at int) (below, above float64) {
	for i, v := range h {
		switch {
		case i < at-1:
			below += v
		case i > at+2:
			above += v
		}
	}
	return below, above
}
