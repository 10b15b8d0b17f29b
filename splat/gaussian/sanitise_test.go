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
		want   gaussian.Fault
	}{
		{"a whole one", func(*gaussian.Cloud) {}, gaussian.Whole},
		{"a position at infinity", func(c *gaussian.Cloud) { c.Positions[1] = -infinite }, gaussian.Invalid},
		{"a rotation that is not a number", func(c *gaussian.Cloud) { c.Rotations[3] = nan }, gaussian.Invalid},
		{"a rotation without a direction", func(c *gaussian.Cloud) { c.Rotations[3] = 0 }, gaussian.Empty},
		{"a position and no direction", func(c *gaussian.Cloud) { c.Positions[0], c.Rotations[3] = nan, 0 }, gaussian.Invalid},
		{"one scale of zero", func(c *gaussian.Cloud) { c.Scales[0] = -infinite }, gaussian.Whole},
		{"no size", func(c *gaussian.Cloud) { c.Scales[0], c.Scales[1], c.Scales[2] = -infinite, -infinite, -infinite }, gaussian.Empty},
		{"an infinite scale", func(c *gaussian.Cloud) { c.Scales[2] = infinite }, gaussian.Invalid},
		{"a scale that is not a number", func(c *gaussian.Cloud) { c.Scales[2] = nan }, gaussian.Invalid},
		{"an infinite colour", func(c *gaussian.Cloud) { c.Colours[2] = infinite }, gaussian.Invalid},
		{"an infinite harmonic", func(c *gaussian.Cloud) { c.Harmonics[8] = infinite }, gaussian.Invalid},
		{"an opacity that is not a number", func(c *gaussian.Cloud) { c.Opacities[0] = nan }, gaussian.Invalid},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := &gaussian.Cloud{}
			c.Resize(1, 1)
			c.Rotations[3], c.Opacities[0] = 1, 0.5
			test.change(c)
			if got := c.Sanitise(0); got != test.want || (c.Opacities[0] == 0) != (test.want != gaussian.Whole) {
				t.Errorf("got the fault %d with opacity %g, want %d", got, c.Opacities[0], test.want)
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
