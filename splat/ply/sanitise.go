package ply

import (
	"math"

	"portico/splat/gaussian"
)

// maxScale is the largest logarithm of a scale, 1e12 metres, and its negative the
// smallest. Trainers write minus infinity for discs; larger values overflow in every
// renderer.
const maxScale = 27.631021

// sanitise gives the i-th Gaussian what gaussian.Cloud promises: a unit quaternion,
// scales within limits and finite numbers. A Gaussian with numbers that are not finite
// becomes invisible and keeps its number.
func sanitise(c *gaussian.Cloud, i int) {
	notFinite := sanitisePosition(c.Positions[3*i:][:3])
	notFinite = sanitiseRotation(c.Rotations[4*i:][:4]) || notFinite
	for k := 3 * i; k < 3*i+3; k++ {
		c.Scales[k] = max(-maxScale, min(c.Scales[k], maxScale)) // a NaN stays
	}
	notFinite = sanitiseValues(c.Scales[3*i:][:3]) || notFinite
	notFinite = sanitiseValues(c.Colours[3*i:][:3]) || notFinite
	coefficients := 3 * gaussian.Coefficients(c.Degree)
	notFinite = sanitiseValues(c.Harmonics[i*coefficients:][:coefficients]) || notFinite
	if notFinite || !isFinite(c.Opacities[i]) {
		c.Opacities[i] = 0
	}
}

// sanitisePosition moves a position that is not finite to the origin, which is in or
// near every capture, and reports whether it did.
func sanitisePosition(p []float32) (notFinite bool) {
	if isFinite(p[0]) && isFinite(p[1]) && isFinite(p[2]) {
		return false
	}
	clear(p)
	return true
}

// sanitiseRotation normalises a quaternion, makes one without a direction the
// identity, and reports whether the quaternion was not finite.
func sanitiseRotation(q []float32) (notFinite bool) {
	x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
	square := x*x + y*y + z*z + w*w
	if square == 0 || !isFinite(square) {
		q[0], q[1], q[2], q[3] = 0, 0, 0, 1
		return square != 0
	}
	scale := 1 / math.Sqrt(square)
	q[0], q[1], q[2], q[3] = float32(x*scale), float32(y*scale), float32(z*scale), float32(w*scale)
	return false
}

// sanitiseValues replaces values that are not finite by zero and reports whether there
// were any. Almost all are finite, so it first adds up v - v, without branches.
func sanitiseValues(values []float32) (notFinite bool) {
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
