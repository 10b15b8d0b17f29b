package sog

import "math"

// box is an axis-aligned box.
type box struct{ low, high [3]float32 }

// emptyBox is the box around nothing.
func emptyBox() box {
	inf := float32(math.Inf(1))
	return box{low: [3]float32{inf, inf, inf}, high: [3]float32{-inf, -inf, -inf}}
}

// boxAround returns the box around the Gaussians with these numbers.
func boxAround(numbers []uint32, positions []float32) box {
	b := emptyBox()
	for _, number := range numbers {
		b.add(positions[3*number:])
	}
	return b
}

// add makes the box contain a point.
func (b *box) add(p []float32) {
	for axis, v := range p[:3] {
		// A point is inside most often: branches are quicker than min and max,
		// which mind what is no number.
		if v < b.low[axis] {
			b.low[axis] = v
		}
		if v > b.high[axis] {
			b.high[axis] = v
		}
	}
}

// join makes the box contain another.
func (b *box) join(o box) {
	for axis := range 3 {
		b.low[axis] = min(b.low[axis], o.low[axis])
		b.high[axis] = max(b.high[axis], o.high[axis])
	}
}

// extent is the length along an axis.
func (b *box) extent(axis int) float64 { return float64(b.high[axis]) - float64(b.low[axis]) }

// addEllipsoid makes the box contain a Gaussian out to its standard deviations,
// as the boxes of other writers do: the box around the turned box around it.
func (b *box) addEllipsoid(position, rotation, scale []float32) {
	// However the box is turned, it reaches no farther than its half diagonal, and
	// most Gaussians do not come near the sides.
	const diagonal = 1.7320509 // the square root of 3, rounded up
	if b.containsBall(position, diagonal*math.Exp(float64(max(scale[0], scale[1], scale[2])))) {
		return
	}
	x, y, z, w := float64(rotation[0]), float64(rotation[1]), float64(rotation[2]), float64(rotation[3])
	double := 2 / (x*x + y*y + z*z + w*w)
	if !(double < math.MaxFloat64) {
		x, y, z, w, double = 0, 0, 0, 1, 2
	}
	sx, sy, sz := math.Exp(float64(scale[0])), math.Exp(float64(scale[1])), math.Exp(float64(scale[2]))
	reach := [3]float64{
		math.Abs(1-double*(y*y+z*z))*sx + math.Abs(double*(x*y-z*w))*sy + math.Abs(double*(x*z+y*w))*sz,
		math.Abs(double*(x*y+z*w))*sx + math.Abs(1-double*(x*x+z*z))*sy + math.Abs(double*(y*z-x*w))*sz,
		math.Abs(double*(x*z-y*w))*sx + math.Abs(double*(y*z+x*w))*sy + math.Abs(1-double*(x*x+y*y))*sz,
	}
	for axis, r := range reach {
		b.low[axis] = min(b.low[axis], below(float64(position[axis])-r))
		b.high[axis] = max(b.high[axis], -below(-float64(position[axis])-r))
	}
}

// containsBall reports whether all of a ball is in the box.
func (b *box) containsBall(centre []float32, radius float64) bool {
	for axis, v := range centre[:3] {
		if float64(v)-radius < float64(b.low[axis]) || float64(v)+radius > float64(b.high[axis]) {
			return false
		}
	}
	return true
}

// below returns the greatest float32 that is not greater than v.
func below(v float64) float32 {
	f := float32(v)
	if float64(f) > v {
		return math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}
