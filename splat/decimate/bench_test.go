package decimate

import (
	"math"
	"math/rand/v2"
	"testing"

	"portico/splat/gaussian"
)

// Surface returns n Gaussians on a wavy surface with a pattern of colours.
func Surface(n, degree int) *gaussian.Cloud {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	side := math.Sqrt(float64(n)) / 100
	c := &gaussian.Cloud{}
	c.Resize(n, degree)
	for i := range n {
		x, z := r.Float64()*side, r.Float64()*side
		c.Positions[3*i], c.Positions[3*i+1], c.Positions[3*i+2] = float32(x), float32(math.Sin(3*x)*math.Cos(2*z)/5), float32(z)
		angle := r.Float64()
		c.Rotations[4*i], c.Rotations[4*i+1], c.Rotations[4*i+2], c.Rotations[4*i+3] = 0, float32(math.Sin(angle)), 0, float32(math.Cos(angle))
		for k := range 3 {
			c.Scales[3*i+k] = float32(-4.6 + r.NormFloat64()/3)
			c.Colours[3*i+k] = float32(math.Sin(x*float64(k+1)*4) + r.NormFloat64()/10)
		}
		c.Scales[3*i+1] -= 2
		c.Opacities[i] = float32(0.2 + 0.8*r.Float64())
	}
	for i := range c.Harmonics {
		c.Harmonics[i] = float32(r.NormFloat64() / 10)
	}
	return c
}

// BenchmarkHalve reports the time for each Gaussian of the finer level, on one processor.
func BenchmarkHalve(b *testing.B) {
	for _, test := range []struct {
		name      string
		n, degree int
	}{{"without harmonics", 1 << 17, 0}, {"degree 3", 1 << 16, 3}} {
		b.Run(test.name, func(b *testing.B) {
			from, to, d := Surface(test.n, test.degree), &gaussian.Cloud{}, Decimator{Workers: 1}
			b.ReportAllocs()
			for b.Loop() {
				if err := d.Halve(b.Context(), from, []int{test.n}, to, false); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*test.n), "ns/splat")
		})
	}
}
