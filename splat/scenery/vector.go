package scenery

import "math"

// vec is a point, a direction or a colour. Points are in metres with y up.
type vec [3]float64

// add, sub, times, by, dot, unit and mix return the sum, the difference, the multiple, the product
// of each component, the scalar product, the unit vector, and the interpolation from a to b.
func (a vec) add(b vec) vec            { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vec) sub(b vec) vec            { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a vec) multiply(s float64) vec   { return vec{a[0] * s, a[1] * s, a[2] * s} }
func (a vec) by(b vec) vec             { return vec{a[0] * b[0], a[1] * b[1], a[2] * b[2]} }
func (a vec) dot(b vec) float64        { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vec) unit() vec                { return a.multiply(1 / math.Sqrt(a.dot(a))) }
func (a vec) mix(b vec, t float64) vec { return a.add(b.sub(a).multiply(t)) }

// cross returns the vector product.
func (a vec) cross(b vec) vec {
	return vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// hash returns a pseudo-random number from 0 to 1 that depends only on three integers.
func hash(x, y, z int) float64 {
	n := uint32(x)*0x8da6b343 ^ uint32(y)*0xd8163841 ^ uint32(z)*0xcb1ab31f
	n = (n ^ n>>13) * 0x5bd1e995
	return float64(n^n>>15) / (1 << 32)
}

// noise returns a number from 0 to 1 that changes smoothly over space. It is value noise: hashes at
// the corners of a unit grid, interpolated by a cubic polynomial.
func noise(p vec) float64 {
	var whole [3]int
	var part vec
	for k := range 3 {
		floor := math.Floor(p[k])
		whole[k] = int(floor)
		t := p[k] - floor
		part[k] = t * t * (3 - 2*t)
	}
	value := 0.0
	for corner := range 8 {
		weight := 1.0
		var at [3]int
		for k := range 3 {
			bit := corner >> k & 1
			at[k] = whole[k] + bit
			weight *= 1 - part[k] + float64(bit)*(2*part[k]-1)
		}
		value += weight * hash(at[0], at[1], at[2])
	}
	return value
}

// grain returns the sum of three octaves of noise. The result is from 0 to 1.
func grain(p vec) float64 {
	return 0.5*noise(p) + 0.3*noise(p.multiply(2.7)) + 0.2*noise(p.multiply(7.1))
}
