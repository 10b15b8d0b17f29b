package sog

import "math"

// box has the lowest and the highest coordinates of points.
type box struct{ low, high [3]float32 }

// emptyBox returns a box without points, to which points are added.
func emptyBox() box {
	inf := float32(math.Inf(1))
	return box{low: [3]float32{inf, inf, inf}, high: [3]float32{-inf, -inf, -inf}}
}

// boundingBox returns the box around the centres of the Gaussians with these indices.
func boundingBox(indices []uint32, positions []float32) box {
	b := emptyBox()
	for _, index := range indices {
		b.addPoint(positions[3*index:])
	}
	return b
}

func (b *box) addPoint(p []float32) {
	for axis, v := range p[:3] {
		// Most points are inside already, so these branches are predicted well and
		// faster than min and max, which handle NaN.
		if v < b.low[axis] {
			b.low[axis] = v
		}
		if v > b.high[axis] {
			b.high[axis] = v
		}
	}
}

// addBox extends the box to contain another.
func (b *box) addBox(o box) {
	for axis := range 3 {
		b.low[axis] = min(b.low[axis], o.low[axis])
		b.high[axis] = max(b.high[axis], o.high[axis])
	}
}

// extent returns the length along an axis.
func (b *box) extent(axis int) float64 { return float64(b.high[axis]) - float64(b.low[axis]) }

// addEllipsoid extends the box to contain a Gaussian of one standard deviation. Like
// other writers, it takes the box around the Gaussian's own, rotated box.
func (b *box) addEllipsoid(position, rotation, scale []float32) {
	// No rotation reaches farther than half the diagonal. Most Gaussians are far from the
	// sides, so this cheap test avoids most of the matrices.
	const diagonal = 1.7320509 // the square root of 3, rounded up
	if b.containsBall(position, diagonal*math.Exp(float64(max(scale[0], scale[1], scale[2])))) {
		return
	}
	x, y, z, w := float64(rotation[0]), float64(rotation[1]), float64(rotation[2]), float64(rotation[3])
	factor := 2 / (x*x + y*y + z*z + w*w)
	if !(factor < math.MaxFloat64) {
		x, y, z, w, factor = 0, 0, 0, 1, 2
	}
	sx, sy, sz := math.Exp(float64(scale[0])), math.Exp(float64(scale[1])), math.Exp(float64(scale[2]))
	halfExtent := [3]float64{
		math.Abs(1-factor*(y*y+z*z))*sx + math.Abs(factor*(x*y-z*w))*sy + math.Abs(factor*(x*z+y*w))*sz,
		math.Abs(factor*(x*y+z*w))*sx + math.Abs(1-factor*(x*x+z*z))*sy + math.Abs(factor*(y*z-x*w))*sz,
		math.Abs(factor*(x*z-y*w))*sx + math.Abs(factor*(y*z+x*w))*sy + math.Abs(1-factor*(x*x+y*y))*sz,
	}
	for axis, r := range halfExtent {
		b.low[axis] = min(b.low[axis], roundDown(float64(position[axis])-r))
		b.high[axis] = max(b.high[axis], -roundDown(-float64(position[axis])-r))
	}
}

func (b *box) containsBall(centre []float32, radius float64) bool {
	for axis, v := range centre[:3] {
		if float64(v)-radius < float64(b.low[axis]) || float64(v)+radius > float64(b.high[axis]) {
			return false
		}
	}
	return true
}

// roundDown returns the largest float32 that is not larger than v. Rounding to the
// nearest would cut a box by half a step, and viewers cull leaves by their boxes.
func roundDown(v float64) float32 {
	f := float32(v)
	if float64(f) > v {
		return math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}
