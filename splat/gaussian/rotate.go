package gaussian

import "math"

// roundingError is the difference between a factor and an integer below which the difference is
// taken for a rounding error. With it, rotations by quarter turns only exchange and negate
// coordinates.
const roundingError = 1e-9

// maxCoefficients is Coefficients(MaxDegree) as a constant, for the length of an array.
const maxCoefficients = (MaxDegree+1)*(MaxDegree+1) - 1

// Rotation rotates Gaussians about the origin: their positions, rotations and harmonics.
// NewRotation returns one. It is immutable, so it is safe for concurrent use.
type Rotation struct {
	// matrix is in row-major order.
	matrix     [9]float32
	quaternion [4]float32
	// harmonics contains the terms of each rotated harmonic. The terms have the same degree as the
	// harmonic, because rotations do not mix degrees.
	harmonics [maxCoefficients][]term
}

// term is the share of one harmonic in a rotated harmonic.
type term struct {
	index  int
	weight float32
}

// NewRotation returns the rotation by a quaternion x, y, z, w of any length. The zero
// quaternion means the identity.
func NewRotation(q [4]float32) *Rotation {
	x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
	length := math.Sqrt(x*x + y*y + z*z + w*w)
	if length == 0 {
		w, length = 1, 1
	}
	x, y, z, w = x/length, y/length, z/length, w/length
	matrix := [9]float64{
		1 - 2*(y*y+z*z), 2 * (x*y - z*w), 2 * (x*z + y*w),
		2 * (x*y + z*w), 1 - 2*(x*x+z*z), 2 * (y*z - x*w),
		2 * (x*z - y*w), 2 * (y*z + x*w), 1 - 2*(x*x+y*y),
	}
	r := &Rotation{quaternion: [4]float32{float32(x), float32(y), float32(z), float32(w)}}
	for i, v := range matrix {
		r.matrix[i] = snapToInteger(v)
	}
	r.setHarmonics(matrix)
	return r
}

// setHarmonics projects each rotated harmonic onto the harmonics of its degree. It
// evaluates the integrals over the sphere by SetBasis, so that SetBasis is the only definition
// of the harmonics. The sum over directions is exact: the product of two harmonics has at
// most degree eight, Gauss-Legendre quadrature with five heights is exact up to degree
// nine (Abramowitz and Stegun, table 25.4), and nine directions around each height are
// exact up to order eight.
func (r *Rotation) setHarmonics(matrix [9]float64) {
	const around = 9
	heights := [5]float64{-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640}
	shares := [5]float64{0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665, 0.2369268850561891}
	var weights [maxCoefficients][maxCoefficients]float64
	for i, z := range heights {
		flat := math.Sqrt(1 - z*z)
		for k := range around {
			y, x := math.Sincos(2 * math.Pi * float64(k) / around)
			addProjections(&weights, matrix, [3]float64{x * flat, y * flat, z}, shares[i]*2*math.Pi/around)
		}
	}
	for to := range r.harmonics {
		for from, weight := range weights[to] {
			if w := snapToInteger(weight); w != 0 {
				r.harmonics[to] = append(r.harmonics[to], term{from, w})
			}
		}
	}
}

// addProjections adds the contribution of one direction. The value of a rotated function
// in the rotated direction is the value of the function in the direction.
func addProjections(weights *[maxCoefficients][maxCoefficients]float64, m [9]float64, d [3]float64, area float64) {
	var before, after [maxCoefficients]float64
	SetBasis(MaxDegree, d[0], d[1], d[2], before[:])
	SetBasis(MaxDegree,
		m[0]*d[0]+m[1]*d[1]+m[2]*d[2], m[3]*d[0]+m[4]*d[1]+m[5]*d[2], m[6]*d[0]+m[7]*d[1]+m[8]*d[2], after[:])
	for degree := 1; degree <= MaxDegree; degree++ {
		first, end := Coefficients(degree-1), Coefficients(degree)
		for to := first; to < end; to++ {
			for from := first; from < end; from++ {
				weights[to][from] += area * after[to] * before[from]
			}
		}
	}
}

// snapToInteger rounds a factor to 0, 1 or -1 if it is almost that.
func snapToInteger(v float64) float32 {
	if nearest := math.Round(v); math.Abs(v-nearest) < roundingError {
		return float32(nearest)
	}
	return float32(v)
}

// Rotate rotates the cloud about the origin by a quaternion x, y, z, w. To rotate several
// clouds, create one Rotation and apply it to each, which is faster.
func (c *Cloud) Rotate(q [4]float32) { NewRotation(q).Apply(c) }

// Apply rotates all Gaussians of the cloud. Their scales, colours and opacities do not
// change. Quarter turns are exact, except for the rotations of the Gaussians.
func (r *Rotation) Apply(c *Cloud) {
	for i := range c.Len() {
		r.rotatePosition((*[3]float32)(c.Positions[3*i:]))
		r.rotateRotation((*[4]float32)(c.Rotations[4*i:]))
	}
	if c.Degree > 0 {
		r.rotateHarmonics(c)
	}
}

// rotatePosition multiplies p by the matrix.
func (r *Rotation) rotatePosition(p *[3]float32) {
	m, x, y, z := &r.matrix, p[0], p[1], p[2]
	p[0] = m[0]*x + m[1]*y + m[2]*z
	p[1] = m[3]*x + m[4]*y + m[5]*z
	p[2] = m[6]*x + m[7]*y + m[8]*z
}

// rotateRotation multiplies q by the rotation's quaternion from the left.
func (r *Rotation) rotateRotation(q *[4]float32) {
	a, x, y, z, w := &r.quaternion, q[0], q[1], q[2], q[3]
	q[0] = a[3]*x + a[0]*w + a[1]*z - a[2]*y
	q[1] = a[3]*y - a[0]*z + a[1]*w + a[2]*x
	q[2] = a[3]*z + a[0]*y - a[1]*x + a[2]*w
	q[3] = a[3]*w - a[0]*x - a[1]*y - a[2]*z
}

// rotateHarmonics replaces each harmonic by the sum of its terms.
func (r *Rotation) rotateHarmonics(c *Cloud) {
	n := Coefficients(c.Degree)
	var before [maxCoefficients]float32
	for at := 0; at+n <= len(c.Harmonics); at += n { // one channel of one Gaussian
		values := c.Harmonics[at : at+n]
		copy(before[:], values)
		for to := range values {
			var sum float32
			for _, t := range r.harmonics[to] {
				sum += t.weight * before[t.index]
			}
			values[to] = sum
		}
	}
}
