package gaussian_test

import (
	"math"
	"testing"

	"portico/splat/gaussian"
)

func TestSanitise_reports_broken_Gaussians(t *testing.T) {
	t.Parallel()
	nan, infinite := float32(math.NaN()), float32(math.Inf(1))
	for _, test := range []struct {
		name   string
		change func(c *gaussian.Cloud)
		broken bool
	}{
		{"a whole one", func(*gaussian.Cloud) {}, false},
		{"a position at infinity", func(c *gaussian.Cloud) { c.Positions[1] = -infinite }, true},
		{"a rotation that is not a number", func(c *gaussian.Cloud) { c.Rotations[3] = nan }, true},
		{"a rotation without a direction", func(c *gaussian.Cloud) { c.Rotations[3] = 0 }, false},
		{"one scale of zero", func(c *gaussian.Cloud) { c.Scales[0] = -infinite }, false},
		{"no size", func(c *gaussian.Cloud) { c.Scales[0], c.Scales[1], c.Scales[2] = -infinite, -infinite, -infinite }, true},
		{"an infinite scale", func(c *gaussian.Cloud) { c.Scales[2] = infinite }, true},
		{"a scale that is not a number", func(c *gaussian.Cloud) { c.Scales[2] = nan }, true},
		{"an infinite colour", func(c *gaussian.Cloud) { c.Colours[2] = infinite }, true},
		{"an infinite harmonic", func(c *gaussian.Cloud) { c.Harmonics[8] = infinite }, true},
		{"an opacity that is not a number", func(c *gaussian.Cloud) { c.Opacities[0] = nan }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := &gaussian.Cloud{}
			c.Resize(1, 1)
			c.Rotations[3], c.Opacities[0] = 1, 0.5
			test.change(c)
			if got := c.Sanitise(0); got != test.broken || (c.Opacities[0] == 0) != test.broken {
				t.Errorf("broken: got %t with opacity %g, want %t", got, c.Opacities[0], test.broken)
			}
			for _, values := range [][]float32{c.Positions, c.Rotations, c.Scales, c.Colours, c.Opacities, c.Harmonics} {
				for _, v := range values {
					if v-v != 0 {
						t.Errorf("got %+v, want finite values", c)
					}
				}
			}
		})
	}
}
