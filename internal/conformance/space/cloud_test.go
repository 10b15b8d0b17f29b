package space_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"portico/splat/splattest"
)

// finest returns the Gaussians of the finest level of an LCC capture, without harmonics, in
// the coordinates of LCC and LCC2, which have z up.
func finest(scan splattest.LCCCapture) []splattest.LCCSplat {
	cloud := make([]splattest.LCCSplat, scan.Splats)
	for i := range cloud {
		cloud[i] = scan.Splat(0, i)
		cloud[i].Harmonics = [45]float64{}
	}
	return cloud
}

// trainerSplats returns the same Gaussians in the coordinates of trainers, which have y down: a
// quarter turn around x.
func trainerSplats(scan splattest.LCCCapture) []splattest.LCCSplat {
	cloud := finest(scan)
	for i := range cloud {
		s := &cloud[i]
		s.Position = [3]float32{s.Position[0], -s.Position[2], s.Position[1]}
		const h = math.Sqrt2 / 2
		x, y, z, w := s.Rotation[0], s.Rotation[1], s.Rotation[2], s.Rotation[3]
		s.Rotation = [4]float64{h * (x + w), h * (y - z), h * (z + y), h * (w - x)}
	}
	return cloud
}

// newPLY returns a PLY of these Gaussians, as trainers write it.
func newPLY(cloud []splattest.LCCSplat) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", len(cloud))
	for _, name := range []string{
		"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3",
	} {
		fmt.Fprintf(&b, "property float %s\n", name)
	}
	b.WriteString("end_header\n")
	for _, s := range cloud {
		row := []float32{s.Position[0], s.Position[1], s.Position[2]}
		for _, channel := range s.Colour {
			row = append(row, float32((float64(channel)/255-0.5)/harmonic))
		}
		// The sigmoid never reaches 0 or 1.
		opacity := min(max(float64(s.Opacity)/255, 1e-4), 1-1e-4)
		row = append(row, float32(math.Log(opacity/(1-opacity))))
		for _, scale := range s.Scale {
			row = append(row, float32(math.Log(scale)))
		}
		for _, k := range []int{3, 0, 1, 2} {
			row = append(row, float32(s.Rotation[k]))
		}
		_ = binary.Write(&b, binary.LittleEndian, row) // a buffer takes all
	}
	return b.Bytes()
}
