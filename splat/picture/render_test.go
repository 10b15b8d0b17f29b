package picture_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/picture"
)

func TestRender_projects_positions(t *testing.T) {
	t.Parallel()
	m := render(t, cloud(
		ball{at: [3]float32{-3, 0, 10}, size: [3]float32{0.5}, colour: red, opacity: 1},
		ball{at: [3]float32{3, 0, 10}, size: [3]float32{0.5}, colour: green, opacity: 1},
		ball{at: [3]float32{0, -6, 20}, size: [3]float32{1}, colour: blue, opacity: 1},
		ball{at: [3]float32{0, 6, 20}, size: [3]float32{1}, colour: white, opacity: 1},
	), ahead())
	for _, spot := range []struct {
		x, y   int
		colour [3]float32
	}{
		{20, 50, red}, {80, 50, green}, {50, 20, blue}, {50, 80, white},
		{50, 50, [3]float32{}}, {0, 0, [3]float32{}}, {99, 99, [3]float32{}},
	} {
		wantPixel(t, m, spot.x, spot.y, [3]float32{0.99 * spot.colour[0], 0.99 * spot.colour[1], 0.99 * spot.colour[2]})
	}
}

// The pixels of a Gaussian have its profile, blurred by the low-pass filter.
func TestRender_draws_a_gaussian(t *testing.T) {
	t.Parallel()
	const opacity, variance = 0.6, 8*8 + 0.3
	m := render(t, cloud(ball{at: [3]float32{0, 0, 10}, size: [3]float32{0.8}, colour: white, opacity: opacity}), ahead())
	for x := range 100 {
		dx, dy := float64(x)+0.5-50, 0.5
		want := float32(opacity * math.Exp(-(dx*dx+dy*dy)/(2*variance)))
		if want < 1.0/255 {
			want = 0
		}
		wantPixel(t, m, x, 50, [3]float32{want, want, want})
	}
}

func TestRender_rotates_and_scales(t *testing.T) {
	t.Parallel()
	long := [3]float32{2, 0.2, 0.2}
	quarter := [4]float32{0, 0, 1, 1} // about z, of any length
	for name, test := range map[string]struct {
		rotation [4]float32
		lit      [2]int
		dark     [2]int
	}{
		"lying":    {[4]float32{}, [2]int{70, 50}, [2]int{50, 70}},
		"standing": {quarter, [2]int{50, 70}, [2]int{70, 50}},
		"aslant":   {[4]float32{0, 0, float32(math.Sin(math.Pi / 8)), float32(math.Cos(math.Pi / 8))}, [2]int{65, 65}, [2]int{35, 65}},
	} {
		m := render(t, cloud(ball{at: [3]float32{0, 0, 10}, size: long, rotation: test.rotation, colour: white, opacity: 1}), ahead())
		if got := m.RGBAAt(test.lit[0], test.lit[1]).R; got < 100 {
			t.Errorf("%s: got %d at %v, want it lit", name, got, test.lit)
		}
		if got := m.RGBAAt(test.dark[0], test.dark[1]).R; got > 0 {
			t.Errorf("%s: got %d at %v, want it dark", name, got, test.dark)
		}
	}
}

func TestRender_draws_Gaussians_smaller_than_a_pixel(t *testing.T) {
	t.Parallel()
	m := render(t, cloud(ball{at: [3]float32{0.05, 0.05, 10}, size: [3]float32{1e-9}, colour: white, opacity: 1}), ahead())
	wantPixel(t, m, 50, 50, [3]float32{0.99, 0.99, 0.99})
	wantPixel(t, m, 53, 50, [3]float32{})
}

func TestRender_hides_Gaussians_behind_others(t *testing.T) {
	t.Parallel()
	front := ball{at: [3]float32{0, 0, 10}, size: [3]float32{3}, colour: green, opacity: 0.75}
	back := ball{at: [3]float32{0, 0, 20}, size: [3]float32{6}, colour: red, opacity: 1}
	for _, c := range []*gaussian.Cloud{cloud(front, back), cloud(back, front)} {
		wantPixel(t, render(t, c, ahead()), 50, 50, [3]float32{0.25 * 0.99, 0.75, 0})
	}
}

func TestRender_blends_with_the_background(t *testing.T) {
	t.Parallel()
	c := cloud(ball{at: [3]float32{0, 0, 10}, size: [3]float32{1}, colour: red, opacity: 0.5})
	m, err := picture.Render(t.Context(), c, picture.Options{Width: 101, Height: 100, Camera: ahead(), Top: color.White, Bottom: color.RGBA{B: 255, A: 255}})
	if err != nil {
		t.Fatal(err)
	}
	wantPixel(t, m, 0, 0, [3]float32{0.995, 0.995, 1})
	wantPixel(t, m, 100, 99, [3]float32{0.005, 0.005, 1})
	wantPixel(t, m, 50, 50, [3]float32{0.75, 0.25, 0.5})
}

// A harmonic of degree 1 along z is brighter when seen along z.
func TestRender_shows_harmonics(t *testing.T) {
	t.Parallel()
	grey := cloud(ball{at: [3]float32{0, 0, 10}, size: [3]float32{1}, colour: [3]float32{0.5, 0.5, 0.5}, opacity: 1})
	c := &gaussian.Cloud{}
	c.Resize(1, 1)
	copy(c.Positions, grey.Positions)
	copy(c.Rotations, grey.Rotations)
	copy(c.Scales, grey.Scales)
	copy(c.Colours, grey.Colours)
	c.Opacities[0] = 1
	copy(c.Harmonics, []float32{0, 0.5, 0, 0, 0, 0, 0, -0.5, 0}) // brighter red, darker blue
	const shift = 0.4886 * 0.5
	wantPixel(t, render(t, c, ahead()), 50, 50, [3]float32{0.99 * (0.5 + shift), 0.495, 0.99 * (0.5 - shift)})
	behind := &picture.Camera{Eye: [3]float64{0, 0, 20}, Target: [3]float64{0, 0, 10}, FieldOfView: 50}
	wantPixel(t, render(t, c, behind), 50, 50, [3]float32{0.99 * (0.5 - shift), 0.495, 0.99 * (0.5 + shift)})
}

// Invalid Gaussians do not change the picture.
func TestRender_skips_invalid_Gaussians(t *testing.T) {
	t.Parallel()
	nan, infinity := float32(math.NaN()), float32(math.Inf(1))
	good := ball{at: [3]float32{0, 0, 10}, size: [3]float32{1}, colour: green, opacity: 1}
	want := render(t, cloud(good), ahead())
	for name, spoil := range map[string]func(c *gaussian.Cloud){
		"what is behind the camera":       func(c *gaussian.Cloud) { c.Positions[5] = -10 },
		"what is before the lens":         func(c *gaussian.Cloud) { c.Positions[5] = 0.5 },
		"a position that is not a number": func(c *gaussian.Cloud) { c.Positions[3] = nan },
		"a position at infinity":          func(c *gaussian.Cloud) { c.Positions[5] = infinity },
		"a position far off":              func(c *gaussian.Cloud) { c.Positions[4] = 3e38 },
		"a size that is not a number":     func(c *gaussian.Cloud) { c.Scales[3] = nan },
		"a size beyond bounds":            func(c *gaussian.Cloud) { c.Scales[4] = 1000 },
		"a size at infinity":              func(c *gaussian.Cloud) { c.Scales[5] = infinity },
		"a rotation of nothing":           func(c *gaussian.Cloud) { clear(c.Rotations[4:]) },
		"a rotation that is not a number": func(c *gaussian.Cloud) { c.Rotations[5] = nan },
		"no opacity":                      func(c *gaussian.Cloud) { c.Opacities[1] = 0 },
		"less than no opacity":            func(c *gaussian.Cloud) { c.Opacities[1] = -1 },
		"an opacity that is not a number": func(c *gaussian.Cloud) { c.Opacities[1] = nan },
		"what is out of view":             func(c *gaussian.Cloud) { c.Positions[3] = 40 },
		"what is far out of the view":     func(c *gaussian.Cloud) { c.Positions[4] = -1e6 },
	} {
		bad := ball{at: [3]float32{0, 0, 9}, size: [3]float32{1}, colour: red, opacity: 1}
		c := cloud(good, bad)
		spoil(c)
		if got := render(t, c, ahead()); !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("%s: got another picture, want that without it", name)
		}
	}
}

// Colours and opacities out of range are clamped.
func TestRender_clamps(t *testing.T) {
	t.Parallel()
	c := cloud(ball{at: [3]float32{0, 0, 10}, size: [3]float32{1}, colour: [3]float32{1e9, -1e9, 0.5}, opacity: 1e9})
	c.Colours[2] = float32(math.NaN())
	wantPixel(t, render(t, c, ahead()), 50, 50, [3]float32{1, 0, 0})
}

// Thousands of Gaussians that fill the picture would take too long. Small Gaussians stay
// visible.
func TestRender_drops_the_largest_Gaussians_of_expensive_clouds(t *testing.T) {
	t.Parallel()
	huge := ball{at: [3]float32{0, 0, 100}, size: [3]float32{1e4}, colour: red, opacity: 0.01}
	balls := make([]ball, 250_000)
	for i := range balls {
		balls[i] = huge
	}
	balls[77] = ball{at: [3]float32{0, 0, 10}, size: [3]float32{0.5}, colour: green, opacity: 1}
	m := render(t, cloud(balls...), ahead())
	wantPixel(t, m, 50, 50, [3]float32{0, 0.99, 0})
	wantPixel(t, m, 10, 10, [3]float32{})
}

func TestRender_is_the_same_on_any_number_of_processors(t *testing.T) {
	t.Parallel()
	c := scene(5000)
	draw := func() []byte {
		m, err := picture.Render(t.Context(), c, picture.Options{Width: 150, Height: 90})
		if err != nil {
			t.Fatal(err)
		}
		return m.Pix
	}
	want := draw()
	before := runtime.GOMAXPROCS(1)
	alone := draw()
	runtime.GOMAXPROCS(7)
	many := draw()
	runtime.GOMAXPROCS(before)
	if !bytes.Equal(alone, want) || !bytes.Equal(many, want) {
		t.Error("got other pictures on 1 and 7 processors, want the same")
	}
}

func TestRender_of_an_empty_cloud_is_the_background(t *testing.T) {
	t.Parallel()
	m, err := picture.Render(t.Context(), &gaussian.Cloud{}, picture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Rect.Size(); got.X != picture.DefaultWidth || got.Y != picture.DefaultHeight {
		t.Errorf("size: got %v, want the default", got)
	}
	page := color.RGBA{26, 28, 33, 255} // of web/space
	if top, bottom := m.RGBAAt(5, 0), m.RGBAAt(5, 399); top != page || bottom != page {
		t.Errorf("background: got %v to %v, want that of the page", top, bottom)
	}
}

func TestRender_refuses_impossible_sizes(t *testing.T) {
	t.Parallel()
	for _, o := range []picture.Options{{Width: 10}, {Height: 10}, {Width: -1, Height: 10}, {Width: 5000, Height: 1}} {
		_, err := picture.Render(t.Context(), &gaussian.Cloud{}, o)
		wantInputError(t, err, fmt.Sprintf("A picture has 1 to 4096 pixels on each side, not %d x %d", o.Width, o.Height))
	}
}

func TestRender_stops_when_canceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := picture.Render(ctx, scene(10), picture.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// scene returns a room with a ball in it: a floor, two walls and a sphere of flat
// Gaussians.
func scene(n int) *gaussian.Cloud {
	r := rand.New(rand.NewPCG(1, 1))
	balls := make([]ball, n)
	for i := range balls {
		across, along := float32(6*r.Float64()-3), float32(6*r.Float64()-3)
		size := float32(0.02 * math.Exp(0.5*r.NormFloat64()))
		b := ball{size: [3]float32{size, size, size / 5}, opacity: float32(r.Float64())}
		switch i % 4 {
		case 0:
			b.at, b.colour, b.rotation = [3]float32{across, 1, along}, [3]float32{0.5, 0.4, 0.3}, [4]float32{1, 0, 0, 1}
		case 1:
			b.at, b.colour = [3]float32{across, along / 3, 3}, [3]float32{0.3, 0.4, 0.6}
		case 2:
			b.at, b.colour, b.rotation = [3]float32{-3, across / 3, along}, [3]float32{0.6, 0.5, 0.6}, [4]float32{0, 1, 0, 1}
		default:
			x, y, z := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
			length := math.Sqrt(x*x + y*y + z*z)
			b.at, b.colour = [3]float32{float32(x / length), float32(y / length), float32(z / length)}, [3]float32{0.9, 0.2, 0.1}
		}
		balls[i] = b
	}
	return cloud(balls...)
}

func BenchmarkRender(b *testing.B) {
	c := scene(150_000)
	for b.Loop() {
		if _, err := picture.Render(b.Context(), c, picture.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
