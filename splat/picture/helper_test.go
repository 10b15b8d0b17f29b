package picture_test

import (
	"errors"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/picture"
)

// ball describes a Gaussian of a test.
type ball struct {
	at       [3]float32
	size     [3]float32 // standard deviations; the first for all axes if only it is set
	rotation [4]float32 // identity if all are 0
	colour   [3]float32 // 0 to 1
	opacity  float32
}

func cloud(balls ...ball) *gaussian.Cloud {
	c := &gaussian.Cloud{}
	c.Resize(len(balls), 0)
	for i, b := range balls {
		if b.size[1] == 0 {
			b.size[1], b.size[2] = b.size[0], b.size[0]
		}
		if b.rotation == [4]float32{} {
			b.rotation[3] = 1
		}
		copy(c.Positions[3*i:], b.at[:])
		copy(c.Rotations[4*i:], b.rotation[:])
		for k := range 3 {
			c.Scales[3*i+k] = float32(math.Log(float64(b.size[k])))
			c.Colours[3*i+k] = (b.colour[k] - 0.5) / gaussian.C0
		}
		c.Opacities[i] = b.opacity
	}
	return c
}

var (
	red   = [3]float32{1, 0, 0}
	green = [3]float32{0, 1, 0}
	blue  = [3]float32{0, 0, 1}
	white = [3]float32{1, 1, 1}
)

// ahead returns a camera at the origin that looks along z: x is right and y is down. At
// depth 10, a unit is 10 pixels in a picture of 100 pixels.
func ahead() *picture.Camera {
	return &picture.Camera{Target: [3]float64{0, 0, 10}, FieldOfView: 2 * math.Atan(0.5) * 180 / math.Pi}
}

// render renders 100 x 100 pixels with a black background.
func render(t testing.TB, c *gaussian.Cloud, camera *picture.Camera) *image.RGBA {
	t.Helper()
	m, err := picture.Render(t.Context(), c, picture.Options{Width: 100, Height: 100, Camera: camera, Top: color.Black, Bottom: color.Black})
	if err != nil {
		t.Fatalf("render: %v", err)
	}
	return m
}

// wantPixel checks a pixel with a tolerance of a hundredth.
func wantPixel(t *testing.T, m image.Image, x, y int, want [3]float32) {
	t.Helper()
	r, g, b, _ := m.At(x, y).RGBA()
	got := [3]float32{float32(r) / 65535, float32(g) / 65535, float32(b) / 65535}
	for k := range got {
		if math.Abs(float64(got[k]-want[k])) > 0.012 {
			t.Errorf("pixel %d, %d: got %.3f, want %.3f", x, y, got, want)
			return
		}
	}
}

// wantInputError fails the test unless err is an *input.Error that contains reason.
func wantInputError(t *testing.T, err error, reason string) {
	t.Helper()
	fault, ok := errors.AsType[*input.Error](err)
	if !ok || !strings.Contains(fault.Error(), reason) {
		t.Errorf("error: got %v, want an input.Error with %q", err, reason)
	}
}
