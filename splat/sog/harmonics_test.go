package sog

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPaletteSize_is_the_number_up_to_65536(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{1: 1, 1025: 1025, 45092: 45092, 1 << 16: 1 << 16, 1<<16 + 1: 1 << 16, 1 << 19: 1 << 16} {
		if got := paletteSize(n); got != want {
			t.Errorf("palette for %d: got %d, want %d", n, got, want)
		}
	}
}

func TestRoundedHarmonics_has_few_distinct_values(t *testing.T) {
	t.Parallel()
	const n, width = 2048, 9
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]float32, n*width)
	for i := range values {
		values[i] = float32(0.05 * r.NormFloat64())
	}
	before := slices.Clone(values)
	rounded := roundedHarmonics(values, n)
	if !slices.Equal(values, before) {
		t.Error("the values themselves changed")
	}
	if got := len(distinctValues(rounded)); got < 10 || got > 60 {
		t.Errorf("distinct values: got %d, want 10 to 60", got)
	}
	sum := 0.0
	for i, v := range values {
		off := float64(v - rounded[i])
		sum += off * off
	}
	if got := math.Sqrt(sum/float64(len(values))) / 0.05; got > 0.1 {
		t.Errorf("error: got %.3f of the deviation, want at most 0.1", got)
	}
	for name, unchanged := range map[string][]float32{
		"few Gaussians": values[:width*smallPalette], "few distinct values": rounded, "zeros": make([]float32, n*width),
	} {
		if got := roundedHarmonics(unchanged, len(unchanged)/width); &got[0] != &unchanged[0] {
			t.Errorf("%s: the values were rounded", name)
		}
	}
	// More Gaussians than labels share entries, which are means and need no rounding.
	if got := roundedHarmonics(values, maxPalette+1); &got[0] != &values[0] {
		t.Error("values of shared entries were rounded")
	}
}
