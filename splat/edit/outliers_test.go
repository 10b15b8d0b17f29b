package edit_test

import (
	"testing"

	"portico/splat/edit"
	"portico/splat/gaussian"
)

func TestParse_filter_outliers(t *testing.T) {
	t.Parallel()
	step, err := edit.Parse("filter-outliers", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name      string
		distance  float32 // of the Gaussians far away
		far, kept int
	}{
		{"without outliers", 3, 5, 1005},
		{"with a sky", 200, 5, 1005},
		{"with outliers", 1e6, 5, 1000},
		{"of two distant places", 1e6, 500, 1500},
	} {
		c := &gaussian.Cloud{}
		c.Resize(1000+test.far, 0)
		for i := range c.Len() {
			c.Positions[3*i] = float32(i%10) - 5
			c.Positions[3*i+1] = float32(i/10%10) - 5
			if i >= 1000 {
				c.Positions[3*i+2] = test.distance
			}
			c.Rotations[4*i+3], c.Opacities[i] = 1, 1
		}
		left, err := step(t.Context(), gaussian.NewMemorySource(nil, c))
		if err != nil {
			t.Fatal(err)
		}
		if got := left.Levels()[0]; got != test.kept {
			t.Errorf("a capture %s: got %d Gaussians, want %d", test.name, got, test.kept)
		}
	}
	if _, err := edit.Parse("filter-outliers", "3"); err == nil {
		t.Error("a value: got no error")
	}
}
