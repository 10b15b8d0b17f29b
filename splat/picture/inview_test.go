package picture_test

import (
	"context"
	"image"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/picture"
)

// A camera whose up is down draws the same picture, turned by 180 degrees.
func TestCamera_Down_rotates_the_picture(t *testing.T) {
	t.Parallel()
	c := cloud(ball{at: [3]float32{2, 1, 10}, size: [3]float32{0.5}, colour: red, opacity: 1},
		ball{at: [3]float32{-1, -3, 10}, size: [3]float32{0.3}, colour: green, opacity: 1})
	upright, turned := ahead(), ahead()
	turned.Down = [3]float64{0, -1, 0}
	a, b := render(t, c, upright), render(t, c, turned)
	for _, at := range []image.Point{{70, 60}, {40, 20}, {10, 10}} {
		r, g, blue, _ := a.At(at.X, at.Y).RGBA()
		want := [3]float32{float32(r) / 65535, float32(g) / 65535, float32(blue) / 65535}
		wantPixel(t, b, 99-at.X, 99-at.Y, want)
	}
}

func TestCamera_looks_along_its_own_down(t *testing.T) {
	t.Parallel()
	for _, down := range [][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} {
		at := [3]float32{float32(10 * down[0]), float32(10 * down[1]), float32(10 * down[2])}
		camera := &picture.Camera{Target: [3]float64{float64(at[0]), float64(at[1]), float64(at[2])}, Down: down, FieldOfView: 45}
		m := render(t, cloud(ball{at: at, size: [3]float32{1}, colour: white, opacity: 1}), camera)
		wantPixel(t, m, 50, 50, [3]float32{0.99, 0.99, 0.99})
	}
}

// placed is a source of levels whose Gaussians lie on the z axis: one share ahead of the
// origin, the others behind it.
type placed struct {
	countingSource

	ahead int // of four
}

// Positions implements gaussian.Source.
func (p *placed) Positions(_ context.Context, level int, positions []float32, _ func(int)) error {
	for i := range p.counts[level] {
		positions[3*i+2] = -5
		if i%4 < p.ahead {
			positions[3*i+2] = 5
		}
	}
	return nil
}

func TestSelectInView(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		counts        []int
		ahead         int
		level, number int
	}{
		"all of a small level":          {[]int{1000}, 4, 0, 1000},
		"only what is ahead":            {[]int{1000}, 1, 0, 250},
		"the coarsest with enough":      {[]int{2_400_000, 800_000, 400_000}, 1, 1, 200_000},
		"no more than can be shown":     {[]int{2_400_000}, 2, 0, 300_000},
		"a level that is too large":     {[]int{9_000_000, 40_000}, 1, 1, 10_000},
		"everything if nothing is seen": {[]int{60_000}, 0, 0, 60_000},
		"a capture without any levels":  {nil, 1, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := &placed{countingSource{counts: test.counts}, test.ahead}
			var from gaussian.Source = source
			c, err := picture.SelectInView(t.Context(), from, 100, 100, *ahead())
			if err != nil {
				t.Fatal(err)
			}
			if c.Len() != test.number || source.level != test.level {
				t.Fatalf("got %d of level %d, want %d of level %d", c.Len(), source.level, test.number, test.level)
			}
			for _, i := range source.indices {
				if test.ahead > 0 && int(i%4) >= test.ahead {
					t.Fatalf("got Gaussian %d, which is behind the camera", i)
				}
			}
		})
	}
}
