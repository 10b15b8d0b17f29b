package palette

import "math"

// planeFinder finds the plane between the two means of some points. It is for
// one goroutine, and keeps its memory.
type planeFinder struct {
	// sample numbers the points that are looked at.
	sample []uint32
	// Of the points below the plane and of the others: the mean, what it is
	// computed from, and the sum of the squared distances to it.
	means  [2][]float32
	sums   [2][]float64
	counts [2]int
	errors [2]float64
	// The plane is where the product of a point with normal is offset. Normal has
	// as many values as are looked at.
	normal []float32
	offset float32
}

// newPlaneFinder returns a finder for points of a padded length.
func newPlaneFinder(width int) *planeFinder {
	f := &planeFinder{normal: make([]float32, width)}
	for side := range f.means {
		f.means[side] = make([]float32, width)
		f.sums[side] = make([]float64, width)
	}
	return f
}

// find sets the plane for the points of an order, and returns false if it finds
// none, which is so if all points are alike. A sample and the first axes are enough
// for a plane, but not to say that there is none.
func (f *planeFinder) find(points rows, order []uint32) bool {
	stride, width := max(1, len(order)/splitSample), min(treeWidth, points.width)
	if f.search(points, order, stride, width) {
		return true
	}
	return (stride > 1 || width < points.width) && f.search(points, order, 1, points.width)
}

// search finds the plane from the first values of every stride-th point.
func (f *planeFinder) search(points rows, order []uint32, stride, width int) bool {
	f.normal = f.normal[:width]
	f.sample = f.sample[:0]
	for i := 0; i < len(order); i += stride {
		f.sample = append(f.sample, order[i])
	}
	if !f.start(points) {
		return false
	}
	for range splitRounds {
		if !f.round(points) {
			return false
		}
	}
	f.measure(points)
	return true
}

// start sets a plane across the axis of the greatest variance, through the mean.
func (f *planeFinder) start(points rows) bool {
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
	widest, greatest := 0, 0.0
	for j := range mean {
		mean[j] /= n
		if v := square[j]/n - mean[j]*mean[j]; v > greatest {
			widest, greatest = j, v
		}
	}
	clear(f.normal)
	f.normal[widest] = 1
	f.offset = float32(mean[widest])
	return greatest > 0
}

// round moves the plane to the middle between the means of the two sides.
func (f *planeFinder) round(points rows) bool {
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

// measure sets the errors of the two sides.
func (f *planeFinder) measure(points rows) {
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

// share returns how much of the error lies below the plane.
func (f *planeFinder) share() float64 {
	if all := f.errors[0] + f.errors[1]; all > 0 {
		return f.errors[0] / all
	}
	return 0.5
}

// below tells on which side of the plane a point is. Four sums keep the processor
// from waiting for each addition.
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
