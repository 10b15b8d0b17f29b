package model

import (
	"math"
	"strings"
	"testing"
)

func TestFile_DefaultData_stands_a_file_upright_that_declares_its_up(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		up   [3]float64
		want string // the rotation
	}{
		{[3]float64{0, 0, 1}, `{"x":-90,"y":0,"z":0}`},
		{[3]float64{0, 0, -1}, `{"x":90,"y":0,"z":0}`},
		{[3]float64{0, 1, 0}, `{"x":0,"y":0,"z":0}`},
		{[3]float64{0, -1, 0}, `{"x":0,"y":0,"z":180}`},
		{[3]float64{1, 0, 0}, `{"x":0,"y":0,"z":90}`},
	} {
		file := File{ResourceKey: "api_uploads/1_a.ply", Facts: &FileFacts{Format: FormatPLY, Up: &test.up}}
		if got := string(file.DefaultData()); !strings.Contains(got, `"rotation":`+test.want) {
			t.Errorf("%v: got %s, want the rotation %s", test.up, got, test.want)
		}
		file.Facts, file.DeclaredUp = nil, &test.up
		if got := string(file.DefaultData()); !strings.Contains(got, `"rotation":`+test.want) {
			t.Errorf("%v before the inspection: got %s, want the rotation %s", test.up, got, test.want)
		}
	}
}

func TestUpright_turns_every_direction_to_y(t *testing.T) {
	t.Parallel()
	for _, up := range [][3]float64{{0.6, 0, 0.8}, {0.6, 0.8, 0}, {-0.6, -0.8, 0}, {0.48, 0.6, -0.64}, {0.48, -0.6, 0.64}, {-1, 0, 0}} {
		r := upright(up)
		sx, cx := math.Sincos(r.X * math.Pi / 180)
		y, z := cx*up[1]-sx*up[2], sx*up[1]+cx*up[2]
		sz, cz := math.Sincos(r.Z * math.Pi / 180)
		x, y := cz*up[0]-sz*y, sz*up[0]+cz*y
		if math.Abs(x) > 1e-6 || math.Abs(y-1) > 1e-6 || math.Abs(z) > 1e-6 {
			t.Errorf("%v: turned by %+v it is %v, %v, %v", up, r, x, y, z)
		}
	}
}
