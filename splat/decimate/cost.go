package decimate

import "math"

const (
	// colourWeight is the weight of differences in colour compared with differences
	// in size.
	colourWeight = 40
	// coverWeight is the weight of an error of the opacity compared with an error of the colour. An
	// error of the opacity is visible in front of any background.
	coverWeight = 0.3
	// pictureExponent is the weight of the difference between pictures. Costs are logarithms, so
	// it is an exponent of the difference.
	pictureExponent = 0.6
	// tripleCost is added to the cost of merging a third Gaussian.
	tripleCost = 0.4
	// excessCost is added for each doubling of a node's originals beyond maxCount. It is larger
	// than all other costs.
	excessCost = 1000
	// minError keeps logarithms finite.
	minError = 1e-30
)

// baseCost returns the cost of merging a and b to m without penalties, as a logarithm. It is the
// logarithm of the product of two errors, so the order of costs does not depend on the unit of
// lengths.
func baseCost(a, b, m *moments) float32 {
	logSizeError := fastLog(max(m.divergence-a.divergence-b.divergence, minError))
	logPictureError := fastLog(max(pictureError(a, b, m), minError))
	cost := logSizeError + pictureExponent*logPictureError
	if !(cost < math.MaxFloat32) { // true for NaN
		return math.MaxFloat32
	}
	return float32(cost)
}

// pictureError returns the integral of the squared difference between the picture of a
// and b and the picture of m, without the factor 2 pi.
func pictureError(a, b, m *moments) float64 {
	u, v, w := a.opacity(), b.opacity(), m.opacity()
	own := u*u*colourProduct(a, a)*a.area/2 + v*v*colourProduct(b, b)*b.area/2 + w*w*colourProduct(m, m)*m.area/2
	mixed := u*v*colourProduct(a, b)*overlap(a, b) - u*w*colourProduct(a, m)*overlap(a, m) - v*w*colourProduct(b, m)*overlap(b, m)
	return own + 2*mixed
}

// colourProduct returns the dot product of two colours, plus coverWeight for the opacity.
func colourProduct(a, b *moments) float64 { return a.r*b.r + a.g*b.g + a.b*b.b + coverWeight }

// overlap returns the integral of the product of the projections of two Gaussians of opacity 1,
// averaged over all directions, without the factor 2 pi. For one direction, the integral
// contains a principal minor of the sum of the covariances. Like the area (see moments), the
// average uses the sum of the three minors instead.
func overlap(a, b *moments) float64 {
	// The sum of the covariances is in variables, because clearing the other moments of a sum takes
	// a fifth of the time.
	xx, xy, xz, yy, yz, zz := a.xx+b.xx, a.xy+b.xy, a.xz+b.xz, a.yy+b.yy, a.yz+b.yz, a.zz+b.zz
	sumOfMinors := xx*yy - xy*xy + xx*zz - xz*xz + yy*zz - yz*yz
	if !(sumOfMinors > 0) {
		return 0
	}
	x, y, z := a.x-b.x, a.y-b.y, a.z-b.z
	form := x*x*xx + y*y*yy + z*z*zz + 2*(x*y*xy+x*z*xz+y*z*yz)
	square := ((xx+yy+zz)*(x*x+y*y+z*z) - form) / sumOfMinors
	return a.area * b.area / math.Sqrt(sumOfMinors) * fastExp(-square/2)
}

// fastLog returns the natural logarithm of x to nine digits; x must be positive and not
// subnormal. It splits x into a power of two and a mantissa near 1. The logarithm of the
// mantissa is a series of the inverse hyperbolic tangent with five terms. Costs need several
// logarithms for each pair, and math.Log takes longer.
func fastLog(x float64) float64 {
	// Counting the exponent from the root of 1/2 leaves a mantissa on both sides of 1, without a
	// branch on it, which could not be predicted.
	const halfRoot = 0x3fe6a09e667f3bcd // the bits of math.Sqrt2/2
	bits := math.Float64bits(x)
	exponent := int64(bits-halfRoot-1) >> 52
	mantissa := math.Float64frombits(bits - uint64(exponent)<<52)
	s := (mantissa - 1) / (mantissa + 1)
	z := s * s
	return float64(exponent)*math.Ln2 + 2*s*(1+z*(1.0/3+z*(1.0/5+z*(1.0/7+z*(1.0/9)))))
}

// fastExp returns e to the power of x to seven digits, for x <= 0. It splits the power of two into
// an integer, which becomes the exponent of the float, and a fraction, for which it uses a Taylor
// series. It returns 0 below -40, where the result is less than 1e-17.
func fastExp(x float64) float64 {
	if !(x > -40) {
		return 0
	}
	t := x * math.Log2E
	whole := int64(t)
	f := t - float64(whole)
	series := 1 + f*(0.693147180559945+f*(0.240226506959101+f*(0.0555041086648216+
		f*(0.00961812910762848+f*(0.00133335581464284+f*0.000154035303933816)))))
	return series * math.Float64frombits(uint64(1023+whole)<<52)
}
