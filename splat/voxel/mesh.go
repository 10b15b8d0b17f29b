package voxel

import (
	"math/bits"
	"slices"
)

// Mesh is a mesh of triangles that face outwards: seen from the free side, their corners are
// counterclockwise.
type Mesh struct {
	// Positions are x, y, z in the coordinates of viewers.
	Positions []float32
	// Indices are three for each triangle.
	Indices []uint32
}

// point is a corner of voxels, counted from the corner of the grid.
type point [3]int32

// rectangle is a part of the surface in a plane across an axis. Its corners are low and
// high, which are equal along the axis.
type rectangle struct {
	low, high point
	axis      int
	// up reports whether the free side has the higher coordinates.
	up bool
}

// Faces returns the surface of the solid voxels. Adjacent faces in one plane are merged to
// rectangles. The mesh is watertight: rectangles that touch have the same corners along their
// common edge.
//
// It takes the faces of voxels and not marching cubes, so that the mesh is exactly the surface of
// the voxels of the octree, and visitors stand at the same height on both.
func (c *Collision) Faces() Mesh {
	var all []rectangle
	for axis := range 3 {
		for _, up := range [2]bool{false, true} {
			all = append(all, mergeFaces(c.grid.faces(axis, up), axis, up)...)
		}
	}
	return newMesher(all).mesh(all, c.grid)
}

// coordinateBits is the number of bits of a coordinate in a key. Grids have at most 2^19 voxels
// along an axis, and one more corner.
const coordinateBits = 20

// key orders points by their first, then by their second and their third coordinate.
func key(a, b, c int) uint64 {
	return uint64(a)<<(2*coordinateBits) | uint64(b)<<coordinateBits | uint64(c)
}

// coordinate returns a coordinate of a key: 0 is the first.
func coordinate(k uint64, i int) int32 {
	return int32(k >> ((2 - i) * coordinateBits) & (1<<coordinateBits - 1))
}

// faces returns the voxels with a free neighbour in a direction, as keys of the coordinate
// along the axis and then of the two others, in order.
func (g *grid) faces(axis int, up bool) (keys []uint64) {
	free := make([]uint64, g.words)
	for y := range g.ny {
		for z := range g.nz {
			row := g.row(y, z)
			g.setExposed(free, y, z, axis, up)
			for i, w := range row {
				for w &= free[i]; w != 0; w &= w - 1 {
					at := [3]int{64*i + bits.TrailingZeros64(w), y, z}
					keys = append(keys, key(at[axis], at[(axis+1)%3], at[(axis+2)%3]))
				}
			}
		}
	}
	slices.Sort(keys)
	return keys
}

// setExposed sets free to the voxels of a row whose neighbour in a direction is not solid.
func (g *grid) setExposed(free []uint64, y, z, axis int, up bool) {
	step := -1
	if up {
		step = 1
	}
	if axis != 0 {
		if axis == 1 {
			y += step
		} else {
			z += step
		}
		if y < 0 || z < 0 || y >= g.ny || z >= g.nz {
			for i := range free {
				free[i] = ^uint64(0)
			}
			return
		}
		for i, w := range g.row(y, z) {
			free[i] = ^w
		}
		return
	}
	row := g.row(y, z)
	for i, w := range row {
		if up {
			w >>= 1
			if i+1 < len(row) {
				w |= row[i+1] << 63
			}
		} else {
			w <<= 1
			if i > 0 {
				w |= row[i-1] >> 63
			}
		}
		free[i] = ^w
	}
}

// run is a line of faces along the third coordinate of their keys, from and to, inclusive. It grows
// along the second, from first to last. All of them are in one plane across the axis.
type run struct{ plane, first, last, from, to int32 }

// rectangle returns the rectangle of the run's faces, which look along an axis.
func (r run) rectangle(axis int, up bool) rectangle {
	if up {
		r.plane++
	}
	one := rectangle{axis: axis, up: up}
	for i, k := range [3]int{axis, (axis + 1) % 3, (axis + 2) % 3} {
		one.low[k] = [3]int32{r.plane, r.first, r.from}[i]
		one.high[k] = [3]int32{r.plane, r.last + 1, r.to + 1}[i]
	}
	return one
}

// consecutive returns how many keys at the start follow each other, 1 or more.
func consecutive(keys []uint64) int {
	n := 1
	for n < len(keys) && keys[n] == keys[n-1]+1 {
		n++
	}
	return n
}

// mergeFaces merges faces to rectangles by greedy meshing: first along the third coordinate, and
// then lines with the same ends along the second. It does not find the minimum number of
// rectangles, but it needs only one pass over the sorted faces and no grid.
func mergeFaces(keys []uint64, axis int, up bool) (all []rectangle) {
	var open, next []run
	add := func(r run) { all = append(all, r.rectangle(axis, up)) }
	for i := 0; i < len(keys); {
		plane, line := coordinate(keys[i], 0), coordinate(keys[i], 1)
		next = next[:0]
		at := 0 // in open, whose runs are in the order of their starts
		for i < len(keys) && coordinate(keys[i], 0) == plane && coordinate(keys[i], 1) == line {
			r := run{plane, line, line, coordinate(keys[i], 2), coordinate(keys[i], 2)}
			length := consecutive(keys[i:])
			r.to += int32(length - 1)
			i += length
			for at < len(open) && (open[at].plane < plane || open[at].last < line-1 || open[at].from < r.from) {
				add(open[at])
				at++
			}
			if at < len(open) && open[at].from == r.from && open[at].to == r.to {
				r.first = open[at].first
				at++
			}
			next = append(next, r)
		}
		for _, r := range open[at:] {
			add(r)
		}
		open, next = next, open
	}
	for _, r := range open {
		add(r)
	}
	return all
}

// mesher numbers the corners of rectangles and finds the corners along an edge. If a corner
// were in the middle of a neighbour's edge, rounded positions would leave a crack there, so
// each rectangle also has the corners of others along its edges.
type mesher struct {
	// lines contains for each axis the keys of all corners, with the other two coordinates
	// first, so that the corners along an edge follow each other.
	lines [3][]uint64
}

// newMesher collects the corners of rectangles.
func newMesher(all []rectangle) *mesher {
	m := &mesher{}
	for axis := range m.lines {
		keys := make([]uint64, 0, 4*len(all))
		for _, r := range all {
			for _, p := range r.corners() {
				keys = append(keys, lineKey(p, axis))
			}
		}
		slices.Sort(keys)
		m.lines[axis] = slices.Clip(slices.Compact(keys))
	}
	return m
}

// lineKey returns the key of a point among the points along an axis.
func lineKey(p point, axis int) uint64 {
	return key(int(p[(axis+1)%3]), int(p[(axis+2)%3]), int(p[axis]))
}

// corners returns the corners, counterclockwise from the free side.
func (r rectangle) corners() [4]point {
	u, v := (r.axis+1)%3, (r.axis+2)%3
	b, d := r.low, r.low
	b[u], d[v] = r.high[u], r.high[v]
	if r.up {
		return [4]point{r.low, b, r.high, d}
	}
	return [4]point{r.low, d, r.high, b}
}

// number returns the index of a corner in the mesh. The corner must be a corner of a rectangle.
func (m *mesher) number(p point) uint32 {
	i, _ := slices.BinarySearch(m.lines[0], lineKey(p, 0))
	return uint32(i)
}

// along appends the corners from one corner to another, without the last.
func (m *mesher) along(to []point, from, end point) []point {
	axis := 0
	for from[axis] == end[axis] {
		axis++
	}
	low, high := from, end
	if from[axis] > end[axis] {
		low, high = end, from
	}
	line := m.lines[axis]
	first, _ := slices.BinarySearch(line, lineKey(low, axis))
	last, _ := slices.BinarySearch(line, lineKey(high, axis))
	for i := range last - first {
		at := first + i
		if from[axis] > end[axis] {
			at = last - i
		}
		p := from
		p[axis] = coordinate(line[at], 2)
		to = append(to, p)
	}
	return to
}

// mesh returns the rectangles as triangles.
func (m *mesher) mesh(all []rectangle, g *grid) (made Mesh) {
	var edge []point
	for _, r := range all {
		var sides [4][]uint32
		corners := r.corners()
		for i, from := range corners {
			edge = m.along(edge[:0], from, corners[(i+1)%4])
			for _, p := range edge {
				sides[i] = append(sides[i], m.number(p))
			}
		}
		made.Indices = appendPolygon(made.Indices, sides)
	}
	made.Positions = make([]float32, 0, 3*len(m.lines[0]))
	for _, k := range m.lines[0] {
		for i, at := range [3]int32{coordinate(k, 2), coordinate(k, 0), coordinate(k, 1)} {
			made.Positions = append(made.Positions, float32(g.bounds.Min[i]+float64(at)*g.resolution))
		}
	}
	return made
}

// appendPolygon appends a rectangle as triangles whose area is not zero. Each side is a list
// that starts with the rectangle's corner and continues with the corners of other rectangles on
// the side. A fan of triangles from the first corner covers the two opposite sides. The first
// and the last triangle of the fan are divided at the corners on the two sides next to the
// first corner.
func appendPolygon(to []uint32, sides [4][]uint32) []uint32 {
	far := append(slices.Clone(sides[1]), sides[2]...)
	far = append(far, sides[3][0])
	apex, last := sides[0][0], len(far)-2
	near := append(slices.Clone(sides[0]), far[0])
	for i := range len(near) - 1 {
		to = append(to, near[i], near[i+1], far[1])
	}
	for i := 1; i < last; i++ {
		to = append(to, apex, far[i], far[i+1])
	}
	back := append(slices.Clone(sides[3]), apex)
	for i := range len(back) - 1 {
		to = append(to, far[last], back[i], back[i+1])
	}
	return to
}
