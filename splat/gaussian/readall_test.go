package gaussian_test

import (
	"math"
	"slices"
	"testing"

	"portico/splat/gaussian"
)

func TestReadAll_marks_what_Positions_marks(t *testing.T) {
	t.Parallel()
	c := &gaussian.Cloud{}
	c.Resize(3, 1)
	for i := range c.Positions {
		c.Positions[i] = float32(i)
	}
	gaussian.LeaveOut(c.Positions[3:])
	var got gaussian.Cloud
	last := 0
	err := gaussian.ReadAll(t.Context(), gaussian.NewMemorySource(nil, c), 0, &got, func(done int) { last = done })
	if err != nil {
		t.Fatal(err)
	}
	if last != 3 || got.Len() != 3 || got.Degree != 1 {
		t.Errorf("got %d Gaussians of degree %d, progress to %d", got.Len(), got.Degree, last)
	}
	if !gaussian.IsLeftOut(got.Positions[3:]) {
		t.Errorf("the broken position: got %g, want NaN", got.Positions[3])
	}
	got.Positions[3] = 3
	if want := []float32{0, 1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(got.Positions, want) || math.IsNaN(float64(got.Positions[4])) {
		t.Errorf("positions: got %g, want %g", got.Positions, want)
	}
}
