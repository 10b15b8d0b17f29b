package main

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/lcc"
)

// small is a small dataset with everything that the measured ones have.
var small = dataset{name: "small", splats: 1001, levels: 3, environment: 40, harmonics: true}

// generateCapture writes a capture and returns the path of its manifest.
func generateCapture(t *testing.T, d dataset) string {
	t.Helper()
	manifest, size, err := d.generate(t.Context(), t.TempDir())
	check(t, err)
	if minSize := int64(d.total() * recordSize); size < minSize {
		t.Errorf("capture: got %d bytes, want more than %d", size, minSize)
	}
	return manifest
}

// check ends the test if err is not nil.
func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// openCapture opens a capture with Portico's reader.
func openCapture(t *testing.T, manifest string) *lcc.Capture {
	t.Helper()
	files, err := folder.OpenLocal(filepath.Dir(manifest))
	check(t, err)
	t.Cleanup(func() { check(t, files.Close()) })
	capture, err := lcc.Open(t.Context(), files, filepath.Base(manifest))
	check(t, err)
	t.Cleanup(func() { check(t, capture.Close()) })
	return capture
}

func TestGenerate_writes_a_capture_that_can_be_read(t *testing.T) {
	t.Parallel()
	capture := openCapture(t, generateCapture(t, small))
	if diff := cmp.Diff([]int{1001, 500, 250}, capture.Levels()); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	var sky gaussian.Cloud
	check(t, capture.Environment(t.Context(), &sky))
	if sky.Len() != small.environment || capture.Degree() != 3 {
		t.Errorf("got %d in the sky, degree %d, want %d, 3", sky.Len(), capture.Degree(), small.environment)
	}
}

func TestGenerate_keeps_the_values_of_the_scene(t *testing.T) {
	t.Parallel()
	s := newScene(small)
	o, err := readCapture(t.Context(), generateCapture(t, small))
	check(t, err)
	// Positions are exact, so they identify the Gaussians.
	numbers := map[[3]float32]int{}
	for number := range small.splats {
		p := s.splat(number).position
		numbers[[3]float32{float32(p[0]), float32(p[1]), float32(p[2])}] = number
	}
	for i := range o.cloud.Len() {
		at := o.cloud.Positions[3*i : 3*i+3]
		number, ok := numbers[[3]float32{at[0], at[2], -at[1]}] // z is up in the capture
		if !ok {
			t.Fatalf("no Gaussian of the scene is at %v", at)
		}
		want := s.splat(number)
		for k := range 3 {
			colour := 0.5 + gaussian.C0*float64(o.cloud.Colours[3*i+k])
			if math.Abs(colour-want.colour[k]) > 0.6/255 {
				t.Errorf("colour of %d: got %.4f, want %.4f", number, colour, want.colour[k])
			}
			if got := math.Exp(float64(o.cloud.Scales[3*i+k])); math.Abs(got-want.scale[k]) > 1e-4 {
				t.Errorf("scale of %d: got %.5f, want %.5f", number, got, want.scale[k])
			}
		}
		if got := float64(o.cloud.Opacities[i]); math.Abs(got-want.opacity) > 0.6/255 {
			t.Errorf("opacity of %d: got %.4f, want %.4f", number, got, want.opacity)
		}
	}
}

func TestGenerate_writes_the_same_capture_again(t *testing.T) {
	t.Parallel()
	plain := dataset{name: "plain", splats: 300, levels: 2}
	first, second := openCapture(t, generateCapture(t, plain)), openCapture(t, generateCapture(t, plain))
	a, b := make([]float32, 900), make([]float32, 900)
	check(t, first.Positions(t.Context(), 0, a, nil))
	check(t, second.Positions(t.Context(), 0, b, nil))
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("positions (-first +second):\n%s", diff)
	}
}

func TestFacing_rotates_z_to_the_normal(t *testing.T) {
	t.Parallel()
	for _, want := range [][3]float64{{0, 0, 1}, {1, 0, 0}, {0, -1, 0}, {0.6, 0, -0.8}, {0, 0, -1}} {
		q := rotationFacing([3]float64{2 * want[0], 2 * want[1], 2 * want[2]}, 1)
		x, y, z, w := q[0], q[1], q[2], q[3]
		got := [3]float64{2 * (x*z + w*y), 2 * (y*z - w*x), 1 - 2*(x*x+y*y)}
		for k := range 3 {
			if math.Abs(got[k]-want[k]) > 1e-9 {
				t.Errorf("z rotated to %v: got %v", want, got)
				break
			}
		}
	}
}
