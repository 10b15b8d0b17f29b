package decimate

const (
	// neighbourCount is the number of nearest Gaussians with which a Gaussian may be
	// merged.
	neighbourCount = 6
	// bucketSize is the maximum number of points in a leaf of the tree.
	bucketSize = 8
)

// tree is a k-d tree that finds nearest neighbours. A node is a range of order, and its
// children are the halves of the range, so that nodes need no pointers.
type tree struct {
	positions []float32
	// order contains the indices of the points, sorted so that each node is a range.
	order []uint32
	// points contains the positions in this order, so that a search reads memory sequentially.
	points []float32
	// axes and planes contain the plane that divides a node, at the middle of its range.
	axes   []uint8
	planes []float32
}

// build builds the tree of positions, which are x, y and z of each point.
func (t *tree) build(positions []float32) {
	n := len(positions) / 3
	t.positions = positions
	t.order, t.points = resize(t.order, n), resize(t.points, 3*n)
	t.axes, t.planes = resize(t.axes, n), resize(t.planes, n)
	for i := range t.order {
		t.order[i] = uint32(i)
	}
	t.buildNode(0, n)
	for i, index := range t.order {
		copy(t.points[3*i:3*i+3], positions[3*index:3*index+3])
	}
}

// buildNode divides a range at the median of its longest side until buckets are left.
func (t *tree) buildNode(from, to int) {
	for to-from > bucketSize {
		axis, middle := t.longestSide(from, to), from+(to-from)/2
		t.partition(from, to, middle, axis)
		t.axes[middle] = uint8(axis)
		t.planes[middle] = t.positions[3*t.order[middle]+uint32(axis)]
		// The right half is the next round of the loop, so only the left halves deepen
		// the recursion.
		t.buildNode(from, middle)
		from = middle
	}
}

// longestSide returns the axis along which the points of a range extend farthest.
func (t *tree) longestSide(from, to int) int {
	low := [3]float32(t.positions[3*t.order[from]:])
	high := low
	for _, index := range t.order[from:to] {
		for k, v := range t.positions[3*index : 3*index+3] {
			low[k], high[k] = min(low[k], v), max(high[k], v)
		}
	}
	axis := 0
	for k := 1; k < 3; k++ {
		if high[k]-low[k] > high[axis]-low[axis] {
			axis = k
		}
	}
	return axis
}

// partition reorders a range so that smaller coordinates are before middle and larger
// coordinates after it (Hoare's selection). Its worst case is quadratic in the size of a block,
// which maxBlock limits.
func (t *tree) partition(from, to, middle, axis int) {
	order, at := t.order, func(i int) float32 { return t.positions[3*t.order[i]+uint32(axis)] }
	for to-from > 1 {
		a, b, c := at(from), at(from+(to-from)/2), at(to-1)
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := from, to-1
		for i <= j {
			for at(i) < pivot {
				i++
			}
			for at(j) > pivot {
				j--
			}
			if i <= j {
				order[i], order[j] = order[j], order[i]
				i++
				j--
			}
		}
		switch {
		case middle <= j:
			to = j + 1
		case middle >= i:
			from = i
		default:
			return
		}
	}
}

// search finds the nearest neighbours of one point.
type search struct {
	*tree
	index   int // of the point in the order of the tree
	point   [3]float32
	n       int                     // the number of neighbours found
	found   [neighbourCount]uint32  // their indices in the order of the tree, the nearest first
	squares [neighbourCount]float32 // their squared distances
}

// nearest returns a search that has found the neighbours of a point. The index is the point's
// index in the order of the tree.
func (t *tree) nearest(index int) search {
	s := search{tree: t, index: index, point: [3]float32(t.points[3*index:])}
	s.visit(0, len(t.order))
	return s
}

// visit searches a node. It starts with the half that contains the point, and skips the other
// half if it is farther away than all neighbours found.
func (s *search) visit(from, to int) {
	if to-from <= bucketSize {
		s.visitBucket(from, to)
		return
	}
	middle := from + (to-from)/2
	distance := s.point[s.axes[middle]] - s.planes[middle]
	near, far := [2]int{from, middle}, [2]int{middle, to}
	if s.index >= middle {
		near, far = far, near
	}
	s.visit(near[0], near[1])
	if s.n < neighbourCount || distance*distance < s.squares[neighbourCount-1] {
		s.visit(far[0], far[1])
	}
}

// visitBucket compares the points of a bucket with the neighbours found.
func (s *search) visitBucket(from, to int) {
	for i := from; i < to; i++ {
		p := s.points[3*i : 3*i+3]
		dx, dy, dz := p[0]-s.point[0], p[1]-s.point[1], p[2]-s.point[2]
		square := dx*dx + dy*dy + dz*dz
		if s.n == neighbourCount && square >= s.squares[neighbourCount-1] || i == s.index {
			continue
		}
		k := min(s.n, neighbourCount-1)
		s.n = k + 1
		for ; k > 0 && s.squares[k-1] > square; k-- {
			s.squares[k], s.found[k] = s.squares[k-1], s.found[k-1]
		}
		s.squares[k], s.found[k] = square, uint32(i)
	}
}

// resize returns a slice of n undefined values. It uses the memory of s if that is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
