package scenery

import "math"

// cellSize is the side of a cell of the grid in metres.
const (
	cellSize = 1.5
	// ceiling is the height of the highest shape that hides light.
	ceiling = 15
)

// bounds is an axis-aligned box.
type bounds struct{ low, high vec }

// boundsOf returns the box around at least one point.
func boundsOf(points ...vec) bounds {
	b := bounds{points[0], points[0]}
	for _, p := range points {
		for k := range 3 {
			b.low[k], b.high[k] = min(b.low[k], p[k]), max(b.high[k], p[k])
		}
	}
	return b
}

// shadowCaster is a shape that casts shadows.
type shadowCaster interface {
	shape
	bounds() bounds
}

// bounds implements shadowCaster. It is the box around the four corners.
func (p patch) bounds() bounds {
	return boundsOf(p.corner, p.corner.add(p.a), p.corner.add(p.b), p.corner.add(p.a).add(p.b))
}

// bounds implements shadowCaster.
func (c column) bounds() bounds {
	r := max(c.radius, c.topRadius)
	return boundsOf(c.foot.sub(vec{r, 0, r}), c.foot.add(vec{r, c.height, r}))
}

// bounds implements shadowCaster.
func (b bush) bounds() bounds { return boundsOf(b.centre.sub(b.radii), b.centre.add(b.radii)) }

// grid contains the shapes that cast shadows above each cell of the ground, to test rays against
// few shapes.
type grid map[[2]int][]shadowCaster

// cellOf returns the cell below or above a point: its numbers along x and z.
func cellOf(p vec) [2]int {
	return [2]int{int(math.Floor(p[0] / cellSize)), int(math.Floor(p[2] / cellSize))}
}

// newGrid returns the grid of the parts that cast shadows. A shape is in all cells that its box
// touches.
func newGrid(parts []part) grid {
	g := grid{}
	for _, part := range parts {
		s, ok := part.shape.(shadowCaster)
		if !ok {
			continue
		}
		b := s.bounds()
		low, high := cellOf(b.low), cellOf(b.high)
		for x := low[0]; x <= high[0]; x++ {
			for z := low[1]; z <= high[1]; z++ {
				g[[2]int{x, z}] = append(g[[2]int{x, z}], s)
			}
		}
	}
	return g
}

// hides reports whether a ray hits a shape within a distance. It walks from cell to cell along the
// ray, as in a digital differential analyzer (Amanatides and Woo, "A Fast Voxel Traversal Algorithm
// for Ray Tracing", 1987). A ray that rises ends at the ceiling.
func (g grid) hides(from, direction vec, reach float64) bool {
	if direction[1] > 1e-6 {
		reach = min(reach, (ceiling-from[1])/direction[1])
	}
	cell, end := cellOf(from), cellOf(from.add(direction.multiply(max(reach, 0))))
	for range 64 {
		for _, s := range g[cell] {
			if s.hides(from, direction, reach) {
				return true
			}
		}
		if cell == end {
			break
		}
		cell = nextCell(cell, from, direction)
	}
	return false
}

// nextCell returns the cell that a ray enters when it leaves this one.
func nextCell(cell [2]int, from, direction vec) [2]int {
	axis, nearest, step := 0, math.Inf(1), 0
	for i, k := range []int{0, 2} {
		if math.Abs(direction[k]) < 1e-9 {
			continue
		}
		side, towards := 0, -1
		if direction[k] > 0 {
			side, towards = 1, 1
		}
		if t := (float64(cell[i]+side)*cellSize - from[k]) / direction[k]; t < nearest {
			axis, nearest, step = i, t, towards
		}
	}
	cell[axis] += step
	return cell
}
