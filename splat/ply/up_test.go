package ply_test

import (
	"testing"

	"portico/splat/ply"
)

// Nerfstudio writes the axis, and Brush an axis or a vector, whose plain y is its default.
func TestDeclaredUp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		comment string
		want    [3]float64 // zero for none
	}{
		{"Vertical Axis: z", [3]float64{0, 0, 1}},
		{"Vertical axis: -z", [3]float64{0, 0, -1}},
		{"vertical axis: 0 -2 0", [3]float64{0, -1, 0}},
		{"Vertical axis: 0 3 4", [3]float64{0, 0.6, 0.8}},
		{"Vertical axis: y", [3]float64{}},
		{"Vertical axis: xy", [3]float64{}},
		{"Vertical axis: 0 0 0", [3]float64{}},
		{"Vertical axis: 0 NaN 1", [3]float64{}},
		{"Vertical axis: 0 1e300 1", [3]float64{}},
		{"Vertical axis:", [3]float64{}},
		{"axis z", [3]float64{}},
	} {
		got := ply.DeclaredUp([]byte("ply\r\nformat ascii 1.0\r\ncomment " + test.comment + "\r\nelement vertex 1\r\n"))
		if got == nil {
			got = &[3]float64{}
		}
		if *got != test.want {
			t.Errorf("%s: got %v, want %v", test.comment, *got, test.want)
		}
	}
	if got := ply.DeclaredUp([]byte("text\ncomment Vertical Axis: z\n")); got != nil {
		t.Errorf("another file: got %v, want none", *got)
	}
}
