package picture_test

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/picture"
)

// box returns an even cloud in a box around a position.
func box(n int, at, size [3]float32) []ball {
	r := rand.New(rand.NewPCG(1, 1))
	balls := make([]ball, n)
	for i := range balls {
		for k := range 3 {
			balls[i].at[k] = at[k] + size[k]*(r.Float32()-0.5)
		}
		balls[i].size, balls[i].colour, balls[i].opacity = [3]float32{0.01}, white, 1
	}
	return balls
}

// litRectangle returns the bounds of the pixels that are not black.
func litRectangle(m *image.RGBA) image.Rectangle {
	var all image.Rectangle
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			if m.RGBAAt(x, y).R > 20 {
				all = all.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return all
}

func TestFacing_fills_the_picture(t *testing.T) {
	t.Parallel()
	for name, size := range map[string][3]float32{
		"a cube": {1, 1, 1}, "a street": {100, 5, 5}, "a tower": {1, 50, 1}, "a floor": {20, 0, 20}, "a wall": {4, 3, 0},
	} {
		c := cloud(box(5000, [3]float32{30, -20, 10}, size)...)
		for i := range c.Scales {
			c.Scales[i] = float32(math.Log(float64(max(size[0], size[1], size[2])) / 200))
		}
		camera := picture.Facing(c, 100, 100)
		got := litRectangle(render(t, c, &camera))
		if longest := max(got.Dx(), got.Dy()); longest < 80 || !got.In(image.Rect(1, 1, 99, 99)) {
			t.Errorf("%s: got it in %v, want it to fill 100 x 100 pixels without touching the edges", name, got)
		}
		if middle := got.Min.Add(got.Max); max(math.Abs(float64(middle.X-100)), math.Abs(float64(middle.Y-100))) > 6 {
			t.Errorf("%s: got it in %v, want it in the middle", name, got)
		}
	}
}

// Up is -y, and the camera looks slightly down.
func TestFacing_looks_from_above(t *testing.T) {
	t.Parallel()
	camera := picture.Facing(cloud(box(100, [3]float32{}, [3]float32{1, 1, 1})...), 100, 100)
	if camera.Eye[1] >= camera.Target[1] {
		t.Errorf("eye: got y %g, want it above %g", camera.Eye[1], camera.Target[1])
	}
	m := render(t, cloud(ball{at: [3]float32{0, -0.4, 0}, size: [3]float32{0.1}, colour: white, opacity: 1}), &camera)
	if got := litRectangle(m); got.Empty() || got.Max.Y > 50 {
		t.Errorf("the top: got it in %v, want it in the upper half", got)
	}
}

func TestFacing_ignores_outliers(t *testing.T) {
	t.Parallel()
	object := box(4000, [3]float32{}, [3]float32{1, 1, 1})
	distance := func(balls []ball) float64 {
		c := picture.Facing(cloud(balls...), 640, 400)
		return math.Hypot(math.Hypot(c.Eye[0]-c.Target[0], c.Eye[1]-c.Target[1]), c.Eye[2]-c.Target[2])
	}
	want := distance(object)
	nan := float32(math.NaN())
	faint := box(2000, [3]float32{500, 0, 0}, [3]float32{1, 1, 1})
	for i := range faint {
		faint[i].opacity = 0.02
	}
	for name, more := range map[string][]ball{
		"a few far away":           box(40, [3]float32{0, 1e5, 0}, [3]float32{1e5, 1e5, 1e5}),
		"a background around":      box(1000, [3]float32{}, [3]float32{100, 100, 100}),
		"what cannot be seen":      faint,
		"what is nowhere":          {{at: [3]float32{nan, 0, 0}, opacity: 1}, {at: [3]float32{0, float32(math.Inf(1)), 0}, opacity: 1}},
		"one beyond all distances": {{at: [3]float32{3e38, 0, 0}, opacity: 1}},
	} {
		if got := distance(append(more, object...)); got < want/1.1 || got > 2*want {
			t.Errorf("%s: got a distance of %g, want about %g", name, got, want)
		}
	}
}

// A statue: most Gaussians are in the body, and few large ones in the neck and the head.
func TestFacing_shows_connected_parts(t *testing.T) {
	t.Parallel()
	statue := box(4000, [3]float32{}, [3]float32{1, 1, 1})
	head := box(60, [3]float32{0, -0.85, 0}, [3]float32{0.2, 0.7, 0.2})
	for i := range head {
		head[i].size = [3]float32{0.03, 0.03, 0.03}
	}
	c := cloud(append(statue, head...)...)
	camera := picture.Facing(c, 100, 100)
	if got := litRectangle(render(t, c, &camera)); got.Min.Y < 2 || got.Min.Y > 30 || got.Max.Y > 98 {
		t.Errorf("got it in %v, want the head in the picture", got)
	}
}

// Every cloud has a camera with finite values.
func TestFacing_of_degenerate_clouds(t *testing.T) {
	t.Parallel()
	point := ball{at: [3]float32{5, 5, 5}, size: [3]float32{1e-12}, opacity: 1}
	nowhere := ball{at: [3]float32{float32(math.NaN()), 0, 0}, opacity: 1}
	for name, c := range map[string]*gaussian.Cloud{
		"nothing": {}, "a point": cloud(point), "two at one place": cloud(point, point), "nowhere": cloud(nowhere),
		"an unseen point": cloud(ball{at: point.at, size: [3]float32{1}}),
	} {
		camera := picture.Facing(c, 640, 400)
		length := 0.0
		for k := range 3 {
			length += (camera.Eye[k] - camera.Target[k]) * (camera.Eye[k] - camera.Target[k])
		}
		if !(length > 0 && length < 1e18) {
			t.Errorf("%s: got %+v, want a camera that looks somewhere", name, camera)
		}
	}
}

func TestRender_straight_down(t *testing.T) {
	t.Parallel()
	camera := &picture.Camera{Eye: [3]float64{0, -10, 0}, FieldOfView: 50}
	m := render(t, cloud(ball{size: [3]float32{1}, colour: red, opacity: 1}), camera)
	wantPixel(t, m, 50, 50, [3]float32{0.99, 0, 0})
}

// A picture of an object is the same in whatever unit its file is.
func TestFacing_does_not_depend_on_the_unit(t *testing.T) {
	t.Parallel()
	made := func(units float32) *image.RGBA {
		c := cloud(box(2000, [3]float32{30, -20, 10}, [3]float32{0.3, 1, 0.4})...)
		for k := range c.Positions {
			c.Positions[k] *= units
			c.Scales[k] += float32(math.Log(float64(units)))
		}
		camera := picture.Facing(c, 100, 100)
		return render(t, c, &camera)
	}
	want := litRectangle(made(1))
	for _, units := range []float32{0.001, 100, 1000} {
		if got := litRectangle(made(units)); got != want {
			t.Errorf("%v units to a metre: got it in %v, want %v", units, got, want)
		}
	}
}
