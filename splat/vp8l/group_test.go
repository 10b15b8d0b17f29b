package vp8l

import (
	"math/rand/v2"
	"testing"
)

func TestSplit_keeps_groups_that_save_bits(t *testing.T) {
	t.Parallel()
	const side = 256
	for _, test := range []struct {
		name string
		// spread is the number of values of a channel at a pixel.
		spread func(x, y int) int
		want   int
	}{
		{"one for noise", func(_, _ int) int { return 256 }, 1},
		{"two for halves", func(_, y int) int { return 4 << (y / (side / 2) * 4) }, 2},
		{"one for a few pixels that differ", func(x, y int) int { return 256 - min(255, 255*(x/250)*(y/250)) }, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 1))
			var pixels []uint32
			for i := range side * side {
				n := test.spread(i%side, i/side)
				pixels = append(pixels, uint32(r.IntN(n)<<16|r.IntN(n)<<8|r.IntN(n)))
			}
			var g grouping
			g.split(tokenImage{[]token{{literal | side*side, 0}}, pixels, side, side, 0})
			if got := len(g.histograms); got != test.want {
				t.Errorf("got %d groups, want %d", got, test.want)
			}
		})
	}
}
