package sog

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLogarithm_is_exact(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	check := func(v float64) {
		want := math.Copysign(math.Log1p(math.Abs(v)), v)
		if got := logarithm(v); math.Abs(got-want) > 1e-15+4e-16*math.Abs(want) {
			t.Errorf("logarithm(%g): got %.17g, want %.17g", v, got, want)
		}
	}
	for range 100_000 {
		check(math.Exp(r.Float64()*50-10) * float64(1-2*r.IntN(2)))
	}
	for _, v := range []float64{0, 1e-3, math.Nextafter(1e-3, 0), 1, math.Nextafter(1, 0), 3, maxCoordinate} {
		check(v)
		check(-v)
	}
}

func TestLogarithm_round_trips(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{0, 1e-6, -1e-6, 0.5, -2, 1000, -1e18} {
		if got := fromLogarithm(logarithm(v)); math.Abs(got-v) > 1e-12*math.Abs(v) {
			t.Errorf("got %g, want %g", got, v)
		}
	}
}

func BenchmarkQuantisePositions(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	positions := make([]float32, 3<<16)
	for i := range positions {
		positions[i] = float32(r.Float64()*60 - 30)
	}
	for b.Loop() {
		q := newPositionQuantiser(positions)
		for i := 0; i < len(positions); i += 3 {
			q.quantise((*[3]float32)(positions[i:]))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(positions)/3), "ns/position")
}
