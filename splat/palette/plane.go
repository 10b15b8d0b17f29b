package palette

import "math"

// planeFinder finds a plane that separates points into two clusters. It reuses its
// memory and must not be used concurrently.
type planeFinder struct {
	// sample contains the indices of the points that determine the plane.
	sample []uint32
	// For the points below the plane, and for the others: the mean, its sums and
	// count, and the sum of the squared distances to it.
	means  [2][]float32
	sums   [2][]float64
	counts [2]int
	errors [2]float64
	// A point is on the plane if its dot product with normal is offset. Normal has
	// as many values as the search uses.
	normal []float32
	offset float32
}

// newPlaneFinder returns a finder for rows of a padded width.
func newPlaneFinder(width int) *planeFinder {
	f := &planeFinder{normal: make([]float32, width)}
	for side := range f.means {
		f.means[side] = make([]float32, width)
		f.sums[side] = make([]float64, width)
	}
	return f
}

// find sets the plane for the points in order. It returns false if it finds none,
// for example because all points are equal. A sample and the first axes are enough to
// find a plane, but proving that there is none takes all points and axes.
func (f *planeFinder) find(points rows, order []uint32) bool {
	stride, width := max(1, len(order)/splitSample), min(treeWidth, points.width)
	if f.search(points, order, stride, width) {
		return true
	}
	return (stride > 1 || width < points.width) && f.search(points, order, 1, points.width)
}

// search finds the plane from the first width values of every stride-th point.
func (f *planeFinder) search(points rows, order []uint32, stride, width int) bool {
	f.normal = f.normal[:width]
	f.sample = f.sample[:0]
	for i := 0; i < len(order); i += stride {
		f.sample = append(f.sample, order[i])
	}
	if !f.startAtWidestAxis(points) {
		return false
	}
	for range splitRounds {
		if !f.iterate(points) {
			return false
		}
	}
	f.measureErrors(points)
	return true
}

// startAtWidestAxis sets the plane through the mean and perpendicular to the axis of
// the largest variance. It returns false if no axis has any variance.
func (f *planeFinder) startAtWidestAxis(points rows) bool {
	mean, square := f.sums[0][:len(f.normal)], f.sums[1][:len(f.normal)]
	clear(mean)
	clear(square)
	for _, p := range f.sample {
		for j, v := range points.at(p)[:len(mean)] {
			mean[j] += float64(v)
			square[j] += float64(v) * float64(v)
		}
	}
	n := float64(len(f.sample))
	widest, maxVariance := 0, 0.0
	for j := range mean {
		mean[j] /= n
		if v := square[j]/n - mean[j]*mean[j]; v > maxVariance {
			widest, maxVariance = j, v
		}
	}
	clear(f.normal)
	f.normal[widest] = 1
	f.offset = float32(mean[widest])
	return maxVariance > 0
}

// iterate is one round of 2-means: it moves the plane halfway between the means of
// its two sides. It returns false if a side is empty.
//
// The plane halfway between the means a and b has the normal b-a and the offset (b-a)(a+b)/2.
func (f *planeFinder) iterate(points rows) bool {
	for side := range f.sums {
		clear(f.sums[side])
		f.counts[side] = 0
	}
	for _, p := range f.sample {
		row := points.at(p)[:len(f.normal)]
		side := 1
		if f.below(row) {
			side = 0
		}
		f.counts[side]++
		sums := f.sums[side][:len(row)]
		for j, v := range row {
			sums[j] += float64(v)
		}
	}
	if f.counts[0] == 0 || f.counts[1] == 0 {
		return false
	}
	offset := 0.0
	for j := range f.normal {
		a, b := f.sums[0][j]/float64(f.counts[0]), f.sums[1][j]/float64(f.counts[1])
		f.means[0][j], f.means[1][j] = float32(a), float32(b)
		f.normal[j] = float32(b - a)
		offset += float64(f.normal[j]) * (a + b) / 2
	}
	f.offset = float32(offset)
	return true
}

// measureErrors sets the errors of the two sides.
func (f *planeFinder) measureErrors(points rows) {
	f.errors = [2]float64{}
	for _, p := range f.sample {
		row := points.at(p)[:len(f.normal)]
		side := 1
		if f.below(row) {
			side = 0
		}
		f.errors[side] += float64(distance(row, f.means[side], math.MaxFloat32))
	}
}

// lowerErrorShare returns the share of the error that lies below the plane.
func (f *planeFinder) lowerErrorShare() float64 {
	if all := f.errors[0] + f.errors[1]; all > 0 {
		return f.errors[0] / all
	}
	return 0.5
}

// below reports whether a point is below the plane. Four independent sums keep the
// processor from waiting for each addition.
func (f *planeFinder) below(row []float32) bool {
	var s0, s1, s2, s3 float32
	normal := f.normal
	for len(row) >= 4 && len(normal) >= 4 {
		p, q := (*[4]float32)(row), (*[4]float32)(normal)
		s0 += p[0] * q[0]
		s1 += p[1] * q[1]
		s2 += p[2] * q[2]
		s3 += p[3] * q[3]
		row, normal = row[4:], normal[4:]
	}
	return (s0+s1)+(s2+s3) < f.offset
}
