package picture_test

import (
	"testing"

	"portico/splat/gaussian"
	"portico/splat/picture"
)

func TestShowsSubject(t *testing.T) {
	t.Parallel()
	plate := func(low, high [3]float32) *gaussian.Cloud {
		var middle, size [3]float32
		for k := range 3 {
			middle[k], size[k] = (low[k]+high[k])/2, high[k]-low[k]
		}
		return cloud(box(4000, middle, size)...)
	}
	wall := plate([3]float32{-3, -3, 5}, [3]float32{3, 1.5, 5.01})
	for _, test := range []struct {
		name string
		seen *gaussian.Cloud
		want bool
	}{
		{"nothing", &gaussian.Cloud{}, false},
		{"a wall ahead", wall, true},
		{"what is behind", plate([3]float32{-3, -3, -5}, [3]float32{3, 1, -4}), false},
		{"a corner of something", plate([3]float32{3, 2, 5}, [3]float32{4, 3, 6}), false},
		{"a floor alone", plate([3]float32{-4, 1.5, 1}, [3]float32{4, 1.51, 9}), false},
	} {
		for i := range test.seen.Opacities {
			test.seen.Opacities[i] = 0.95
		}
		for i := range test.seen.Scales {
			test.seen.Scales[i] = -1.5
		}
		got, err := picture.ShowsSubject(t.Context(), test.seen, picture.Camera{Target: [3]float64{0, 0, 1}, FieldOfView: picture.FieldOfView})
		if err != nil || got != test.want {
			t.Errorf("%s: got %v, %v, want %v", test.name, got, err, test.want)
		}
	}
}
