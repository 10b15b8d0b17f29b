package spz

import (
	"encoding/binary"

	"portico/splat/input"
)

// coordinateSystem is the extension SPZ_ADOBE_coordinate_system, which names the axes of the
// file. Other extensions are skipped, because they do not change the Gaussians.
const coordinateSystem = 0xadbe0003

// The numbers of axes (extensions/README.md). The bits of the number minus one are: x is right,
// y is up, z is front. Numbers from 9 on also exchange y and z.
const (
	axesUnspecified = 0
	axesRightUpBack = 4
	axesExchanged   = 9
	axesEnd         = 17
)

// Axes names the directions of a file's x, y and z: L or R for left or right, U or D
// for up or down, F or B for front or back, as in "RUB".
type Axes string

// AxesPLY are the axes of PLY files and of package gaussian. Reading such a file changes no sign.
const AxesPLY Axes = "RDF"

// signs returns the signs of named axes and reports whether the name is valid.
func (a Axes) signs() (axes, bool) {
	var found axes
	if len(a) != len(found) {
		return found, false
	}
	// The first direction of each pair has the sign 1.
	for k, pair := range []string{"RL", "DU", "FB"} {
		switch a[k] {
		case pair[0]:
			found[k] = 1
		case pair[1]:
			found[k] = -1
		default:
			return found, false
		}
	}
	return found, true
}

// IsValid reports whether the name is three letters for three directions.
func (a Axes) IsValid() bool {
	_, ok := a.signs()
	return ok
}

// axes are the signs that convert x, y and z of a file to the axes of package gaussian: right,
// down and front.
type axes [3]float32

// defaultAxes are the axes of a file without the extension.
var defaultAxes = numberedAxes(axesRightUpBack)

// numberedAxes returns the axes with a number from 1 to 8.
//
//	number    axes    signs of x, y, z
//	1         LDB     -1  1 -1
//	2         RDB      1  1 -1
//	3         LUB     -1 -1 -1
//	4         RUB      1 -1 -1
//	5         LDF     -1  1  1
//	6         RDF      1  1  1
//	7         LUF     -1 -1  1
//	8         RUF      1 -1  1
func numberedAxes(number uint32) axes {
	bits := number - 1
	a := axes{-1, 1, -1}
	if bits&1 != 0 { // right
		a[0] = 1
	}
	if bits&2 != 0 { // up
		a[1] = -1
	}
	if bits&4 != 0 { // front
		a[2] = 1
	}
	return a
}

// rotation returns the signs of x, y and z of a quaternion. They are also right for mirrored
// axes, in which a rotation has the opposite direction.
//
// The component x turns the plane of y and z, so it has the signs of both; likewise y and z.
func (a axes) rotation() [3]float32 { return [3]float32{a[1] * a[2], a[0] * a[2], a[0] * a[1]} }

// harmonics returns the signs of all harmonics up to a degree. The harmonic of degree l and
// order m is a polynomial, in which each of x, y and z has the same parity in all terms: z the
// parity of l-|m|; for m >= 0, y is even and x has the parity of m; for m < 0, y is odd and x
// has the parity of |m|-1. The reference library changes the sign of the last harmonic of
// degree 4 with y instead, and files are written by this library, so this does the same.
//
// The signs of degree 1, which has the orders -1, 0 and 1:
//
//	-1    y
//	0     z
//	1     x
func (a axes) harmonics(degree int) []float32 {
	var signs []float32
	for l := 1; l <= degree; l++ {
		for m := -l; m <= l; m++ {
			sign, order := float32(1), m
			if m < 0 {
				sign, order = a[1], -m
			}
			if (l-order)%2 != 0 {
				sign *= a[2]
			}
			if (order%2 != 0) == (m >= 0) {
				sign *= a[0]
			}
			if l == 4 && m == 4 {
				sign = a[1]
			}
			signs = append(signs, sign)
		}
	}
	return signs
}

// readExtensions returns the axes that the extensions name. An extension is a type and a
// length, of 32 bits each, and then that many bytes. readExtensions refuses axes from 9 on, for
// which the reference library contradicts its documentation.
func readExtensions(b []byte, name string) (axes, error) {
	found := defaultAxes
	for len(b) >= 8 {
		kind, length := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		if b = b[8:]; uint64(length) > uint64(len(b)) {
			return found, input.Damaged(name, "its extension %#x is cut off", kind)
		}
		if kind == coordinateSystem {
			if length != 4 {
				return found, input.Damaged(name, "its extension %#x has %d bytes instead of 4", kind, length)
			}
			switch number := binary.LittleEndian.Uint32(b); {
			case number == axesUnspecified:
			case number < axesExchanged:
				found = numberedAxes(number)
			case number < axesEnd:
				return found, input.Errorf(name, "has the axes number %d, which cannot be read", number).
					Advise("Export it with y up or down")
			default:
				return found, input.Damaged(name, "its axes have the number %d, which does not exist", number)
			}
		}
		b = b[length:]
	}
	return found, nil
}
