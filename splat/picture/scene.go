package picture

import (
	"math"
	"slices"

	"portico/splat/gaussian"
)

const (
	// sceneSample is the number of Gaussians, evenly chosen, that determine the
	// camera.
	sceneSample = 10_000
	// minVisibleOpacity is the opacity below which a Gaussian does not affect the
	// camera.
	minVisibleOpacity = 0.1
	// cellsPerSide is the number of cells along the longest side of the scene's box.
	cellsPerSide = 16
	// reach is how far the scene may extend beyond its box on each side, as a share of the longest
	// side. Without this limit a ground that extends far away would make the subject small.
	reach = 0.75
)

// scene is the part of a cloud that a picture shows. Its box contains most of the cloud.
type scene struct {
	low, high [3]float64
	points    [][3]float64 // the points that must be in the picture
	padding   float64      // how far Gaussians extend beyond their centres
}

func (s scene) centre() [3]float64 {
	return [3]float64{(s.low[0] + s.high[0]) / 2, (s.low[1] + s.high[1]) / 2, (s.low[2] + s.high[2]) / 2}
}

// contains reports whether a point is in the box or on its faces. The faces count, because a
// flat scene has no inside.
func (s scene) contains(p [3]float64) bool {
	for k, v := range p {
		if v < s.low[k] || v > s.high[k] {
			return false
		}
	}
	return true
}

// findScene finds the scene of a cloud. Its box extends the quartiles of each coordinate
// by the interquartile range, so that it contains an even distribution but no outliers.
//
// For quartiles at 2 and 4 metres the box reaches from 0 to 6 metres, but never includes the
// outermost hundredth of the Gaussians on either side.
func findScene(c *gaussian.Cloud) scene {
	sample := sampleVisible(c)
	if len(sample) == 0 {
		return scene{padding: 1}
	}
	var s scene
	values := make([]float64, len(sample))
	for k := range 3 {
		for n, i := range sample {
			values[n] = float64(c.Positions[3*i+k])
		}
		slices.Sort(values)
		quantile := func(q float64) float64 { return values[int(math.Round(q*float64(len(values)-1)))] }
		lower, upper := quantile(0.25), quantile(0.75)
		interquartileRange := upper - lower
		s.low[k] = max(lower-interquartileRange, quantile(0.01))
		s.high[k] = min(upper+interquartileRange, quantile(0.99))
	}
	for n, i := range sample {
		values[n] = math.Exp(float64(max(c.Scales[3*i], c.Scales[3*i+1], c.Scales[3*i+2])))
	}
	slices.Sort(values)
	s.padding = min(max(2*values[len(values)/2], minRadius), maxDistance)
	s.findPoints(c, sample)
	return s
}

// findPoints sets the points: the centres and the ends of the axes of the sampled Gaussians in
// the box, and of those that are connected to it. It divides the space around the box into
// cells, and is a flood fill from the cells in the box.
//
// Points in cells that touch, also at edges and corners, are connected. A cell is deleted when it
// is visited, so each one is visited once.
func (s *scene) findPoints(c *gaussian.Cloud, sample []int) {
	longest := max(s.high[0]-s.low[0], s.high[1]-s.low[1], s.high[2]-s.low[2])
	side := max(longest/cellsPerSide, minRadius)
	around := scene{low: add(s.low, [3]float64{longest, longest, longest}, -reach), high: add(s.high, [3]float64{longest, longest, longest}, reach)}
	cells := map[cell][][3]float64{}
	var next []cell // cells to walk from
	for _, i := range sample {
		for _, point := range axisEnds(c, i) {
			if !around.contains(point) {
				continue
			}
			at := cellOf(point, around.low, side)
			if s.contains(point) {
				next = append(next, at)
			}
			cells[at] = append(cells[at], point)
		}
	}
	for len(next) > 0 {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		points, ok := cells[at]
		if !ok {
			continue // empty, or visited before
		}
		delete(cells, at)
		s.points = append(s.points, points...)
		next = at.appendNeighbours(next)
	}
}

// cell is the index of a cube in a grid.
type cell [3]int32

// cellOf returns the cell of a point in a grid that starts at low.
func cellOf(point, low [3]float64, side float64) (at cell) {
	for k := range at {
		at[k] = int32((point[k] - low[k]) / side)
	}
	return at
}

// appendNeighbours appends the 26 cells around a cell, and the cell itself.
func (at cell) appendNeighbours(to []cell) []cell {
	for x := at[0] - 1; x <= at[0]+1; x++ {
		for y := at[1] - 1; y <= at[1]+1; y++ {
			for z := at[2] - 1; z <= at[2]+1; z++ {
				to = append(to, cell{x, y, z})
			}
		}
	}
	return to
}

// axisEnds returns the centre of Gaussian i and the ends of its axes at one standard deviation.
// With them the large Gaussians of a smooth surface are connected.
func axisEnds(c *gaussian.Cloud, i int) [7][3]float64 {
	centre := [3]float64{float64(c.Positions[3*i]), float64(c.Positions[3*i+1]), float64(c.Positions[3*i+2])}
	points := [7][3]float64{centre}
	for k, axis := range rotationColumns([4]float32(c.Rotations[4*i:])) {
		length := math.Exp(float64(c.Scales[3*i+k]))
		points[1+2*k], points[2+2*k] = add(centre, axis, length), add(centre, axis, -length)
	}
	return points
}

// sampleVisible returns the indices of some visible Gaussians, spread over the cloud. If almost
// none are visible, it includes faint ones.
func sampleVisible(c *gaussian.Cloud) []int {
	step := max(c.Len()/sceneSample, 1)
	var all, visible []int
	for i := 0; i < c.Len(); i += step {
		p := c.Positions[3*i : 3*i+3]
		if !(isInRange(p[0]) && isInRange(p[1]) && isInRange(p[2])) {
			continue
		}
		all = append(all, i)
		if c.Opacities[i] >= minVisibleOpacity {
			visible = append(visible, i)
		}
	}
	if len(visible) > len(all)/20 {
		return visible
	}
	return all
}

// isInRange reports whether a coordinate is a number within maxDistance. Comparisons
// with NaN are false.
func isInRange(v float32) bool { return math.Abs(float64(v)) <= maxDistance }
