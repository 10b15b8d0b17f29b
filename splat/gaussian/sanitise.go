package gaussian

import "math"

// maxScale is the maximum logarithm of a scale, which is 1e12 metres, and -maxScale is the
// minimum. Trainers write minus infinity for discs, and larger values overflow in every
// renderer.
const maxScale = 27.631021

// Sanitise corrects the values of Gaussian i: the quaternion gets the length 1, scales are
// limited, and values that are not finite are replaced. It returns the fault of the Gaussian,
// if it is broken. A Gaussian with one scale of zero is a disc and not broken. A broken Gaussian
// becomes invisible.
func (c *Cloud) Sanitise(i int) Fault {
	fault := sanitiseRotation(c.Rotations[4*i:][:4])
	if !c.isUsual(i) {
		coefficients := 3 * Coefficients(c.Degree)
		broken := sanitisePosition(c.Positions[3*i:][:3])
		scales := sanitiseScales(c.Scales[3*i:][:3])
		broken = broken || scales == Invalid || fault == Invalid
		broken = sanitiseValues(c.Colours[3*i:][:3]) || broken
		broken = sanitiseValues(c.Harmonics[i*coefficients:][:coefficients]) || broken
		switch {
		case broken || !isFinite(c.Opacities[i]):
			fault = Invalid
		case scales == Empty:
			fault = Empty
		}
	}
	if fault != Whole {
		c.Opacities[i] = 0
	}
	return fault
}

// isUsual reports whether all values of Gaussian i, except its quaternion, are finite and within
// limits, so that none needs a correction. This is true for nearly all Gaussians.
// One test of a sum is faster than a branch for each value.
func (c *Cloud) isUsual(i int) bool {
	p, s, d := [3]float32(c.Positions[3*i:]), [3]float32(c.Scales[3*i:]), [3]float32(c.Colours[3*i:])
	// The product of a number that is not finite and zero is NaN.
	sum := (p[0]*0 + p[1]*0 + p[2]*0) +
		(d[0]*0 + d[1]*0 + d[2]*0) + c.Opacities[i]*0
	if coefficients := 3 * Coefficients(c.Degree); coefficients > 0 {
		for _, v := range c.Harmonics[i*coefficients:][:coefficients] {
			sum += v - v
		}
	}
	// Comparisons with a NaN are false.
	return sum == 0 && s[0] <= maxScale && s[1] <= maxScale && s[2] <= maxScale &&
		s[0] >= -maxScale && s[1] >= -maxScale && s[2] >= -maxScale
}

// sanitisePosition moves a position that is not finite to the origin, which is in or
// near every capture, and reports whether it did.
func sanitisePosition(p []float32) (broken bool) {
	if isFinite(p[0]) && isFinite(p[1]) && isFinite(p[2]) {
		return false
	}
	clear(p)
	return true
}

// sanitiseRotation normalises a quaternion. It replaces a quaternion that is zero or not finite by
// the identity, and returns which fault it had.
func sanitiseRotation(q []float32) Fault {
	x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
	square := x*x + y*y + z*z + w*w
	if square == 0 || !isFinite(square) {
		q[0], q[1], q[2], q[3] = 0, 0, 0, 1
		if square == 0 {
			return Empty
		}
		return Invalid
	}
	// Most tools write unit quaternions. Rounding the four values to float32 changes the square of
	// the length by less than this.
	const tolerance = 1e-6
	if math.Abs(square-1) < tolerance {
		return Whole
	}
	scale := 1 / math.Sqrt(square)
	q[0], q[1], q[2], q[3] = float32(x*scale), float32(y*scale), float32(z*scale), float32(w*scale)
	return Whole
}

// sanitiseScales limits the logarithms of three scales. It returns Invalid if one is too large to
// be a number, and Empty if all scales are zero.
func sanitiseScales(scales []float32) Fault {
	zeros, invalid := 0, false
	for k, v := range scales {
		switch {
		case v < -math.MaxFloat32:
			zeros++
		case !isFinite(v):
			invalid = true
		}
		scales[k] = max(-maxScale, min(v, maxScale)) // a NaN does not change
	}
	switch {
	case sanitiseValues(scales) || invalid:
		return Invalid
	case zeros == len(scales):
		return Empty
	}
	return Whole
}

// sanitiseValues replaces values that are not finite by zero, and reports whether there were
// any. Almost all values are finite, so it first adds up v - v, which needs no branches.
func sanitiseValues(values []float32) (broken bool) {
	var sum float32 // v - v is NaN unless v is finite
	for _, v := range values {
		sum += v - v
	}
	if sum == 0 {
		return false
	}
	for i, v := range values {
		if !isFinite(v) {
			values[i] = 0
		}
	}
	return true
}

// isFinite reports whether a value is neither NaN nor infinite.
func isFinite[F Float](v F) bool {
	return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
}
