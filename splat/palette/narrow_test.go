package palette_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"portico/splat/palette"
)

// Scales of LCC are multiples of a step, so the logarithms of thin splats are far apart.
func TestNewCodebook_limits_the_largest_error(t *testing.T) {
	t.Parallel()
	const step = 2.5e-5
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]float32, 20_000)
	for i := range values {
		scale := math.Exp(-4.5 + 1.1*r.NormFloat64())
		values[i] = float32(math.Log(step * max(1, math.Round(scale/step))))
	}
	book := palette.NewCodebook(values)
	sum, largest := 0.0, 0.0
	for _, v := range values {
		off := math.Abs(float64(v) - float64(book.Entries()[book.Index(v)]))
		sum += off * off
		largest = max(largest, off)
	}
	mean := math.Sqrt(sum / float64(len(values)))
	if largest > 6*mean {
		t.Errorf("largest error: got %.4f, %.1f times the mean of %.4f, want at most 6 times", largest, largest/mean, mean)
	}
	if mean > 0.0064 {
		t.Errorf("mean error: got %.5f, want at most 0.0064", mean)
	}
}
