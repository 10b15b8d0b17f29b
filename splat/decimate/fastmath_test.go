package decimate

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestFastLog_has_nine_digits(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, x := range []float64{1, math.Sqrt2, 1.5, 2, 1e-200, 1e300, math.Nextafter(1, 0), math.SmallestNonzeroFloat64 * (1 << 52), math.MaxFloat64} {
		checkLog(t, x)
	}
	for range 100_000 {
		checkLog(t, math.Exp(random.Float64()*1000-500))
	}
}

func checkLog(t *testing.T, x float64) {
	t.Helper()
	if got, want := fastLog(x), math.Log(x); math.Abs(got-want) > 1e-9 {
		t.Fatalf("logarithm of %v: got %v, want %v", x, got, want)
	}
}
