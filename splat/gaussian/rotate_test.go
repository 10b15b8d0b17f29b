package gaussian_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"portico/splat/gaussian"
)

// quarterTurn is +90 degrees about x.
var quarterTurn = [4]float32{math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2}

// rotations returns quaternions of several kinds. Only the first has length one.
func rotations() map[string][4]float32 {
	return map[string][4]float32{
		"a quarter about x": quarterTurn,
		"a half about z":    {0, 0, 2, 0},
		"any":               {0.3, -0.5, 0.7, 0.9},
		"nothing":           {0, 0, 0, 0},
	}
}

// rotateVector rotates a vector by the product q v q*, independently of the package.
func rotateVector(q [4]float32, v [3]float64) [3]float64 {
	a := [4]float64{float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])}
	norm := a[0]*a[0] + a[1]*a[1] + a[2]*a[2] + a[3]*a[3]
	if norm == 0 {
		return v
	}
	p := multiply(multiply(a, [4]float64{v[0], v[1], v[2], 0}), [4]float64{-a[0], -a[1], -a[2], a[3]})
	return [3]float64{p[0] / norm, p[1] / norm, p[2] / norm}
}

func multiply(a, b [4]float64) [4]float64 {
	return [4]float64{
		a[3]*b[0] + a[0]*b[3] + a[1]*b[2] - a[2]*b[1],
		a[3]*b[1] + a[1]*b[3] + a[2]*b[0] - a[0]*b[2],
		a[3]*b[2] + a[2]*b[3] + a[0]*b[1] - a[1]*b[0],
		a[3]*b[3] - a[0]*b[0] - a[1]*b[1] - a[2]*b[2],
	}
}

func unit(r *rand.Rand) [3]float64 {
	v := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
	length := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
	return [3]float64{v[0] / length, v[1] / length, v[2] / length}
}

func random(r *rand.Rand, n, degree int) *gaussian.Cloud {
	c := &gaussian.Cloud{}
	c.Resize(n, degree)
	for _, values := range [][]float32{c.Positions, c.Scales, c.Colours, c.Opacities, c.Harmonics} {
		for i := range values {
			values[i] = float32(r.NormFloat64())
		}
	}
	for i := range n {
		v := unit(r)
		half := r.Float64()
		for k := range v {
			c.Rotations[4*i+k] = float32(v[k] * math.Sin(half))
		}
		c.Rotations[4*i+3] = float32(math.Cos(half))
	}
	return c
}

func clone(c *gaussian.Cloud) *gaussian.Cloud {
	d := &gaussian.Cloud{}
	d.Resize(c.Len(), c.Degree)
	copy(d.Positions, c.Positions)
	copy(d.Rotations, c.Rotations)
	copy(d.Scales, c.Scales)
	copy(d.Colours, c.Colours)
	copy(d.Opacities, c.Opacities)
	copy(d.Harmonics, c.Harmonics)
	return d
}

func position(c *gaussian.Cloud, i int) [3]float64 {
	return [3]float64{float64(c.Positions[3*i]), float64(c.Positions[3*i+1]), float64(c.Positions[3*i+2])}
}

// viewDependentColour returns the view-dependent part of one channel along a direction.
func viewDependentColour(c *gaussian.Cloud, channel int, d [3]float64) float64 {
	n := gaussian.Coefficients(c.Degree)
	values := make([]float64, n)
	gaussian.SetBasis(c.Degree, d[0], d[1], d[2], values)
	sum := 0.0
	for i, v := range values {
		sum += v * float64(c.Harmonics[channel*n+i])
	}
	return sum
}

func isNear(a, b [3]float64, tolerance float64) bool {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]) <= tolerance
}

// The rotated cloud looks the same from the rotated direction.
func TestRotate_rotates_the_view(t *testing.T) {
	t.Parallel()
	for name, q := range rotations() {
		for degree := range gaussian.MaxDegree + 1 {
			r := rand.New(rand.NewPCG(1, uint64(degree)))
			before := random(r, 3, degree)
			after := clone(before)
			after.Rotate(q)
			for i := range before.Len() {
				if got, want := position(after, i), rotateVector(q, position(before, i)); !isNear(got, want, 1e-6) {
					t.Errorf("%s, position: got %v, want %v", name, got, want)
				}
				axis := unit(r)
				if got, want := rotateVector([4]float32(after.Rotations[4*i:]), axis), rotateVector(q, rotateVector([4]float32(before.Rotations[4*i:]), axis)); !isNear(got, want, 1e-6) {
					t.Errorf("%s, an axis of it: got %v, want %v", name, got, want)
				}
			}
			for channel := range 3 * before.Len() {
				d := unit(r)
				if got, want := viewDependentColour(after, channel, rotateVector(q, d)), viewDependentColour(before, channel, d); math.Abs(got-want) > 1e-5 {
					t.Errorf("%s, degree %d, channel %d along %v: got %g, want %g", name, degree, channel, d, got, want)
				}
			}
		}
	}
}

func TestRotate_is_exact_for_quarter_turns(t *testing.T) {
	t.Parallel()
	before := random(rand.New(rand.NewPCG(2, 2)), 50, 1)
	after := clone(before)
	after.Rotate(quarterTurn)
	for i := range before.Len() {
		p := before.Positions[3*i:]
		if got, want := [3]float32(after.Positions[3*i:]), [3]float32{p[0], -p[2], p[1]}; got != want {
			t.Errorf("position %d: got %v, want %v", i, got, want)
		}
		// The harmonics of degree 1 are -y, z, -x times a factor: a vector with
		// the coordinates -h2, -h0, h1.
		h := before.Harmonics[9*i:]
		if got, want := [3]float32(after.Harmonics[9*i:]), [3]float32{h[1], -h[0], h[2]}; got != want {
			t.Errorf("harmonics %d: got %v, want %v", i, got, want)
		}
	}
}

// Rotating back restores the harmonics of all degrees.
func TestRotate_can_be_undone(t *testing.T) {
	t.Parallel()
	before := random(rand.New(rand.NewPCG(3, 3)), 20, gaussian.MaxDegree)
	after := clone(before)
	after.Rotate([4]float32{0.3, -0.5, 0.7, 0.9})
	after.Rotate([4]float32{-0.3, 0.5, -0.7, 0.9})
	for i, want := range before.Harmonics {
		if got := after.Harmonics[i]; math.Abs(float64(got-want)) > 1e-5 {
			t.Fatalf("harmonic %d: got %g, want %g", i, got, want)
		}
	}
}

// Wrong factors would make the harmonics not orthonormal: the mean of a product over the
// sphere is 1/4pi or zero.
func TestSetBasis_is_orthonormal(t *testing.T) {
	t.Parallel()
	n := gaussian.Coefficients(gaussian.MaxDegree)
	sums, values := make([]float64, n*n), make([]float64, n)
	// A Fibonacci lattice spreads directions evenly.
	const directions = 20_000
	for k := range directions {
		z := 1 - (2*float64(k)+1)/directions
		y, x := math.Sincos(2 * math.Pi * math.Phi * float64(k))
		flat := math.Sqrt(1 - z*z)
		gaussian.SetBasis(gaussian.MaxDegree, x*flat, y*flat, z, values)
		for i, a := range values {
			for j, b := range values {
				sums[i*n+j] += a * b * 4 * math.Pi / directions
			}
		}
	}
	for i := range n {
		for j := range n {
			want := 0.0
			if i == j {
				want = 1
			}
			if got := sums[i*n+j]; math.Abs(got-want) > 1e-4 {
				t.Errorf("product of %d and %d: got %g, want %g", i, j, got, want)
			}
		}
	}
}

// Values of the polynomials in table 2 of Ramamoorthi and Hanrahan, "An Efficient
// Representation for Irradiance Environment Maps", with the signs of 3DGS.
func TestSetBasis_has_the_order_and_signs_of_3DGS(t *testing.T) {
	t.Parallel()
	values := make([]float64, 8)
	gaussian.SetBasis(2, 0.36, 0.48, 0.8, values)
	want := []float64{
		-0.488603 * 0.48, 0.488603 * 0.8, -0.488603 * 0.36,
		1.092548 * 0.36 * 0.48, -1.092548 * 0.48 * 0.8, 0.315392 * (3*0.64 - 1), -1.092548 * 0.36 * 0.8,
		0.546274 * (0.1296 - 0.2304),
	}
	for i := range want {
		if math.Abs(values[i]-want[i]) > 1e-6 {
			t.Errorf("harmonic %d: got %g, want %g", i, values[i], want[i])
		}
	}
}

func BenchmarkApply(b *testing.B) {
	c := random(rand.New(rand.NewPCG(4, 4)), 10_000, 3)
	r := gaussian.NewRotation(quarterTurn)
	for b.Loop() {
		r.Apply(c)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.Len()), "ns/splat")
}
