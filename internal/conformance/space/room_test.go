package space_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
)

// room is a capture of a closed room, as a PLY with y down. It is 8 m wide and long and
// 3 m high, with its floor at height 0 and its middle at the origin of the space. Its walls
// have a colour each, so that a screenshot shows where the camera looks.
type room struct {
	bytes.Buffer
	size float64 // of a disc in metres; 0 means discSize
}

// discSize is the standard deviation of a disc that leaves no gap to its neighbours, in metres.
const discSize = 0.07

// spacing is the distance of the Gaussians in metres.
const spacing = 0.125

// harmonic is the factor between a colour and its zeroth harmonic.
const harmonic = 0.28209479177387814

type rgb [3]float64

var (
	red    = rgb{0.9, 0.1, 0.1} // towards +x
	green  = rgb{0.1, 0.7, 0.1} // towards -x
	blue   = rgb{0.1, 0.2, 0.9} // towards -z
	yellow = rgb{0.9, 0.8, 0.1} // towards +z
	grey   = rgb{0.4, 0.4, 0.4} // the floor
	white  = rgb{0.9, 0.9, 0.9} // the ceiling
)

func newRoom() []byte {
	var r room
	const half, height = 4.0, 3.0
	for a := -half + spacing/2; a < half; a += spacing {
		for b := -half + spacing/2; b < half; b += spacing {
			r.add(a, 0, b, grey, 1)
			r.add(a, height, b, white, 1)
		}
		for y := spacing / 2; y < height; y += spacing {
			r.add(half, y, a, red, 0)
			r.add(-half, y, a, green, 0)
			r.add(a, y, -half, blue, 2)
			r.add(a, y, half, yellow, 2)
		}
	}
	return r.file()
}

// newLedge returns a room whose floor is one metre higher in the half towards -x.
func newLedge() []byte {
	var r room
	const half, height, upper = 4.0, 4.0, 1.0
	for a := -half + spacing/2; a < half; a += spacing {
		for b := -half + spacing/2; b < half; b += spacing {
			floor := 0.0
			if a < 0 {
				floor = upper
			}
			r.add(a, floor, b, grey, 1)
			r.add(a, height, b, white, 1)
		}
		for y := spacing / 2; y < height; y += spacing {
			r.add(half, y, a, red, 0)
			r.add(-half, y, a, green, 0)
			r.add(a, y, -half, blue, 2)
			r.add(a, y, half, yellow, 2)
			if y < upper {
				r.add(0, y, a, green, 0)
			}
		}
	}
	return r.file()
}

func (r *room) file() []byte {
	const rowSize = 14 * 4
	var file bytes.Buffer
	file.WriteString("ply\nformat binary_little_endian 1.0\n")
	fmt.Fprintf(&file, "element vertex %d\n", r.Len()/rowSize)
	for _, name := range []string{
		"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3",
	} {
		fmt.Fprintf(&file, "property float %s\n", name)
	}
	file.WriteString("end_header\n")
	file.Write(r.Bytes())
	return file.Bytes()
}

// add adds a disc at a place in the space that is thin along an axis. Trainers write x and
// y in the other direction.
func (r *room) add(x, y, z float64, colour rgb, thin int) {
	size := math.Log(cmp.Or(r.size, discSize))
	scales := [3]float64{size, size, size}
	scales[thin] = size - 2
	const opacity = 4 // before the sigmoid: 0.98
	row := []float64{-x, -y, z}
	for _, channel := range colour {
		row = append(row, (channel-0.5)/harmonic)
	}
	row = append(row, opacity, scales[0], scales[1], scales[2], 1, 0, 0, 0)
	for _, value := range row {
		_ = binary.Write(r, binary.LittleEndian, float32(value)) // a buffer takes all
	}
}
