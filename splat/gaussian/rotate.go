package gaussian

import "math"

// nothing is how small a factor of a rotation is that comes of rounding only.
// Without it, quarter turns would not copy coordinates bit by bit.
const nothing = 1e-9

// maxCoefficients is Coefficients(MaxDegree).
const maxCoefficients = (MaxDegree+1)*(MaxDegree+1) - 1

// Rotation turns Gaussians about the origin: their positions, their rotations and
// their harmonics. It is made once, by NewRotation, and may be used by several
// goroutines at once.
type Rotation struct {
	// matrix is row by row.
	matrix     [9]float32
	quaternion [4]float32
	// harmonics holds, for each harmonic, the ones of the same degree that it
	// is made of.
	harmonics [maxCoefficients][]term
}

// term is a share in a turned harmonic.
type term struct {
	from   int
	weight float32
}

// NewRotation returns the rotation by a quaternion x, y, z, w of any length but
// zero, which stands for no rotation.
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
		r.matrix[i] = rounded(v)
	}
	r.setHarmonics(matrix)
	return r
}

// setHarmonics projects every harmonic, turned, onto those of its degree. The
// integral over the sphere is a sum over directions that is exact for them, so
// the definition in Basis is the only one there is: the product of two harmonics
// has degree eight at most, Gauss-Legendre quadrature with five heights is exact
// up to degree nine (Abramowitz and Stegun, table 25.4), nine directions around
// each height up to order eight.
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
			if w := rounded(weight); w != 0 {
				r.harmonics[to] = append(r.harmonics[to], term{from, w})
			}
		}
	}
}

// addProjections adds what one direction says. A turned function has in the
// turned direction the value that the function has in the direction.
func addProjections(weights *[maxCoefficients][maxCoefficients]float64, m [9]float64, d [3]float64, area float64) {
	var before, after [maxCoefficients]float64
	Basis(MaxDegree, d[0], d[1], d[2], before[:])
	Basis(MaxDegree,
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

// rounded makes a factor that is almost 0, 1 or -1 exactly that.
func rounded(v float64) float32 {
	if nearest := math.Round(v); math.Abs(v-nearest) < nothing {
		return float32(nearest)
	}
	return float32(v)
}

// Turn rotates the cloud about the origin by a quaternion x, y, z, w. To turn many
// clouds the same way, make one Rotation and apply it to each.
func (c *Cloud) Turn(q [4]float32) { NewRotation(q).Apply(c) }

// Apply turns all Gaussians of the cloud. Their sizes, colours and opacities do
// not change. Quarter turns are exact but for the rotations of the Gaussians.
func (r *Rotation) Apply(c *Cloud) {
	for i := range c.Len() {
		r.turnPosition((*[3]float32)(c.Positions[3*i:]))
		r.turnRotation((*[4]float32)(c.Rotations[4*i:]))
	}
	if c.Degree > 0 {
		r.turnHarmonics(c)
	}
}

func (r *Rotation) turnPosition(p *[3]float32) {
	m, x, y, z := &r.matrix, p[0], p[1], p[2]
	p[0] = m[0]*x + m[1]*y + m[2]*z
	p[1] = m[3]*x + m[4]*y + m[5]*z
	p[2] = m[6]*x + m[7]*y + m[8]*z
}

// turnRotation multiplies quaternions, ours from the left.
func (r *Rotation) turnRotation(q *[4]float32) {
	a, x, y, z, w := &r.quaternion, q[0], q[1], q[2], q[3]
	q[0] = a[3]*x + a[0]*w + a[1]*z - a[2]*y
	q[1] = a[3]*y - a[0]*z + a[1]*w + a[2]*x
	q[2] = a[3]*z + a[0]*y - a[1]*x + a[2]*w
	q[3] = a[3]*w - a[0]*x - a[1]*y - a[2]*z
}

func (r *Rotation) turnHarmonics(c *Cloud) {
	n := Coefficients(c.Degree)
	var before [maxCoefficients]float32
	for at := 0; at+n <= len(c.Harmonics); at += n { // one channel of one Gaussian
		values := c.Harmonics[at : at+n]
		copy(before[:], values)
		for to := range values {
			var sum float32
			for _, t := range r.harmonics[to] {
				sum += t.weight * before[t.from]
			}
			values[to] = sum
		}
	}
}
