package ply

import (
	"math"

	"portico/splat/gaussian"
)

// maxScale bounds the logarithms of scales: 1e12 metres, and 1e-12. Trainers write
// minus infinity for discs, and what is beyond would overflow in every renderer.
const maxScale = 27.631021

// settle makes the i-th Gaussian what the cloud promises: a unit quaternion, scales
// that can be used, and finite numbers only. One that has others is made invisible,
// so that it is still there under its number.
func settle(c *gaussian.Cloud, i int) {
	lost := settlePosition(c.Positions[3*i:][:3])
	lost = settleRotation(c.Rotations[4*i:][:4]) || lost
	for k := 3 * i; k < 3*i+3; k++ {
		c.Scales[k] = max(-maxScale, min(c.Scales[k], maxScale)) // keeps NaN
	}
	lost = settleValues(c.Scales[3*i:][:3]) || lost
	lost = settleValues(c.Colours[3*i:][:3]) || lost
	coefficients := 3 * gaussian.Coefficients(c.Degree)
	lost = settleValues(c.Harmonics[i*coefficients:][:coefficients]) || lost
	if lost || !finite(c.Opacities[i]) {
		c.Opacities[i] = 0
	}
}

// settlePosition puts a position that is not finite to the origin, which lies in or
// near every capture, and tells whether it was.
func settlePosition(p []float32) (lost bool) {
	if finite(p[0]) && finite(p[1]) && finite(p[2]) {
		return false
	}
	clear(p)
	return true
}

// settleRotation makes a quaternion one of length one, no rotation where it has no
// direction, and tells whether it was not finite.
func settleRotation(q []float32) (lost bool) {
	x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
	square := x*x + y*y + z*z + w*w
	if square == 0 || !finite(square) {
		q[0], q[1], q[2], q[3] = 0, 0, 0, 1
		return square != 0
	}
	scale := 1 / math.Sqrt(square)
	q[0], q[1], q[2], q[3] = float32(x*scale), float32(y*scale), float32(z*scale), float32(w*scale)
	return false
}

// settleValues replaces what is not finite by zero and tells whether there was any.
func settleValues(values []float32) (lost bool) {
	var sum float32 // of zeros, unless a value is not finite
	for _, v := range values {
		sum += v - v
	}
	if sum == 0 {
		return false
	}
	for i, v := range values {
		if !finite(v) {
			values[i] = 0
		}
	}
	return true
}
