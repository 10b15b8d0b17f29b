package picture_test

import (
	"math"
	"testing"

	"portico/splat/picture"
)

// A wide scene stays as large as it is in the first frame, also where its end points at the camera.
func TestCamera_Around_keeps_the_scene_in_the_picture(t *testing.T) {
	t.Parallel()
	for name, size := range map[string][3]float32{"a cube": {1, 1, 1}, "a street": {10, 1, 1}, "a tower": {1, 8, 1}} {
		c := cloud(box(2000, [3]float32{30, -20, 10}, size)...)
		first := picture.Facing(c, 80, 50)
		cameras := first.Around(c, 80, 50, 8)
		if len(cameras) != 8 || distance(cameras[0].Eye, first.Eye) > 1e-9 {
			t.Fatalf("%s: got %d cameras from %+v, want 8 from %+v", name, len(cameras), cameras[0], first)
		}
		for i, camera := range cameras {
			frame, err := picture.Render(t.Context(), c, picture.Options{Width: 80, Height: 50, Camera: &camera})
			if err != nil {
				t.Fatal(err)
			}
			if at := drawnBounds(frame); at.Empty() || !at.In(frame.Rect.Inset(1)) {
				t.Errorf("%s, frame %d: got it in %v, want all of it inside of %v", name, i, at, frame.Rect)
			}
		}
	}
}

func TestThin_keeps_the_area(t *testing.T) {
	t.Parallel()
	c := cloud(box(4000, [3]float32{}, [3]float32{1, 1, 1})...)
	if got := picture.Thin(c, 4000); got != c {
		t.Error("a cloud that is small enough: got another")
	}
	thin := picture.Thin(c, 1000)
	if thin.Len() != 1000 || thin.Positions[3] != c.Positions[12] {
		t.Fatalf("got %d Gaussians, the second at %g, want each fourth of 4000", thin.Len(), thin.Positions[3])
	}
	if got := math.Exp(float64(thin.Scales[0] - c.Scales[0])); math.Abs(got-2) > 1e-3 {
		t.Errorf("scale: got %g times, want 2: four times the area", got)
	}
}

func distance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}
