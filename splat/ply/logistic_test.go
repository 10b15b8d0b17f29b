package ply

import (
	"math"
	"testing"
)

func TestLogistic_stays_between_0_and_1(t *testing.T) {
	t.Parallel()
	inf := float32(math.Inf(1))
	for _, test := range []struct{ logit, want float32 }{
		{0, 0.5}, {inf, 1}, {-inf, 0}, {200, 1}, {-200, 0}, {math.MaxFloat32, 1}, {-math.MaxFloat32, 0},
	} {
		if got := logistic(test.logit); got != test.want {
			t.Errorf("%g: got %g, want %g", test.logit, got, test.want)
		}
	}
	if got := logistic(float32(math.NaN())); got == got {
		t.Errorf("NaN: got %g", got)
	}
}

func TestLogistic_rounds_as_math_Exp(t *testing.T) {
	t.Parallel()
	const steps = 200_000
	for i := -steps; i <= steps; i++ {
		v := float32(i) * 110 / steps
		want := float32(1 / (1 + math.Exp(-float64(v))))
		// Neighbours are allowed: either result is rounded.
		if got := logistic(v); got < math.Nextafter32(want, 0) || got > math.Nextafter32(want, 1) {
			t.Fatalf("%g: got %g, want %g", v, got, want)
		}
	}
}

func BenchmarkLogistic(b *testing.B) {
	v := float32(-8)
	for b.Loop() {
		if v += 0.01; v > 8 {
			v = -8
		}
		logistic(v)
	}
}
