package gaussian_test

import (
	"testing"

	"portico/splat/gaussian"
)

func TestBounds_contains_each_point(t *testing.T) {
	t.Parallel()
	var box *gaussian.Bounds
	for _, point := range [][3]float64{{1, -2, 3}, {-1, 5, 3}, {0, 0, 4}} {
		box = box.Extend(point)
	}
	if want := (gaussian.Bounds{Min: [3]float64{-1, -2, 3}, Max: [3]float64{1, 5, 4}}); *box != want {
		t.Errorf("got %v, want %v", *box, want)
	}
}
