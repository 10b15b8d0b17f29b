package model

import (
	"math"
	"testing"
)

func TestUpdateFile_validates_the_start(t *testing.T) {
	t.Parallel()
	origin, ahead := []float64{0, 0, 0}, []float64{0, 0, 1}
	capture := &File{Facts: &FileFacts{Format: FormatPLY, Splats: 1}}
	const finite = "must have finite numbers from -1000000 to 1000000"
	for _, test := range []struct {
		name             string
		file             *File
		position, target []float64
		want             string // of the message; empty for a valid input
	}{
		{"in a capture", capture, origin, ahead, ""},
		{"in a file that was not inspected yet", &File{}, origin, ahead, ""},
		{"before a model", &File{Facts: &FileFacts{Format: FormatGLB}}, origin, ahead, ""},
		{"at the limits", capture, []float64{-1e6, 1e6, 0}, ahead, ""},
		{"in an image", &File{Facts: &FileFacts{Format: FormatPNG}}, origin, ahead, "start can be set only for a capture or a model"},
		{"with two numbers", capture, origin[:2], ahead, "start.position must have three numbers: x, y, z"},
		{"with four numbers", capture, origin, []float64{1, 2, 3, 4}, "start.target must have three numbers: x, y, z"},
		{"with no number", capture, []float64{0, math.NaN(), 0}, ahead, "start.position " + finite},
		{"infinitely far away", capture, origin, []float64{math.Inf(-1), 0, 0}, "start.target " + finite},
		{"too far away", capture, []float64{0, 1e6 + 1, 0}, ahead, "start.position " + finite},
		{"that looks nowhere", capture, ahead, []float64{0, 0, 1.0005}, "start.target must be at least a millimetre away from the position"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := (UpdateFile{SetStart: true, Start: &StartInput{test.position, test.target}}).Validate(test.file); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("error: got %q, want %q", got, test.want)
			}
		})
	}
}
