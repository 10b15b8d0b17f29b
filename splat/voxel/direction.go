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

// candidate is a direction that may be up. Up is the direction itself, or its nearest axis if the
// capture stands upright on a slope that the direction is the normal of.
type candidate struct{ facing, up [3]float64 }

// candidates returns the directions that may be up: the axes; the normals of large surfaces that
// are nearly axes, or slopes; and the normals with which floors and walls agree better than with
// the axes.
func candidates(pieces []piece) (all []candidate) {
	for axis := range 3 {
		all = append(all, candidate{axisVector(axis), axisVector(axis)})
	}
	for _, d := range normalsOf(pieces) {
		axis := nearestAxis(d)
		floors, walls := agreement(pieces, d)
		otherFloors, otherWalls := agreement(pieces, axisVector(axis))
		switch {
		case d[axis] >= axisCos || floors+walls > trustAxis*(otherFloors+otherWalls) && walls > trustWalls*otherWalls:
			all = append(all, candidate{d, d})
		case d[axis] >= slopeCos:
			all = append(all, candidate{d, axisVector(axis)})
		}
	}
	return all
}

// agreement returns the areas of the floors and the walls if a direction is up. Directions are
// compared only with each other, so the unit of area does not matter.
func agreement(pieces []piece, d [3]float64) (floors, walls float64) {
	for _, p := range pieces {
		switch c := math.Abs(dot(p.normal, d)); {
		case c > floorCos:
			floors += p.area
		case c < wallSin:
			walls += p.area
		}
	}
	return floors, walls
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
