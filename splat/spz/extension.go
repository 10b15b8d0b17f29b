package spz

import (
	"encoding/binary"
	"math"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// coordinateSystem is the extension SPZ_ADOBE_coordinate_system, which names the axes of the
// file. Other extensions are skipped, because they do not change the Gaussians.
const coordinateSystem = 0xadbe0003

// The numbers of axes (extensions/README.md). The bits of the number minus one are right, up and
// front: of x, y and z. From 9 on, y is front or back and z is up or down.
const (
	axesUnspecified = 0
	axesRightUpBack = 4
	axesExchanged   = 9
	axesEnd         = 17
)

// Axes names the directions of a file's x, y and z: L or R for left or right, then U or D for up
// or down and F or B for front or back, as in "RUB", or these two in the other order, as in "RFU".
type Axes string

// AxesPLY are the axes of PLY files and of package gaussian. Reading such a file changes no sign.
const AxesPLY Axes = "RDF"

// parse returns the named axes and reports whether the name is valid.
func (a Axes) parse() (axes, bool) {
	for number := uint32(1); number < axesEnd; number++ {
		if found := numberedAxes(number); found.name() == a {
			return found, true
		}
	}
	return axes{}, false
}

// IsValid reports whether the name is three letters for three directions.
func (a Axes) IsValid() bool {
	_, ok := a.parse()
	return ok
}

// axes convert from the axes of a file to the axes of package gaussian: right, down and front.
type axes struct {
	// signs of x, y and z are applied first.
	signs
	// exchanged reports whether y is front or back and z is up or down. Then a quarter turn about x
	// follows.
	exchanged bool
}

// signs are factors of 1 or -1 of x, y and z.
type signs [3]float32

// name returns the name of the axes.
func (a axes) name() Axes {
	letters := [3]string{"LR", "UD", "BF"} // of the directions of package gaussian
	name := make([]byte, 3)
	for k, sign := range a.signs {
		direction := k
		if a.exchanged && k > 0 {
			direction = 3 - k
			// The quarter turn makes front of z, and up of y.
			if k == 1 {
				sign = -sign
			}
		}
		name[k] = letters[direction][int(sign+1)/2]
	}
	return Axes(name)
}

// quarterTurn returns the rotation of exchanged axes after their signs: the new y is z, and the new
// z is -y.
func quarterTurn() *gaussian.Rotation {
	return gaussian.NewRotation([4]float32{-math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2})
}

// defaultAxes are the axes of a file without the extension.
var defaultAxes = numberedAxes(axesRightUpBack)

// numberedAxes returns the axes with a number from 1 to 16. The number of exchanged axes is the
// number of the axes that they have after a quarter turn about x, plus 8.
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
//	9 to 16   LFD RFD LFU RFU LBD RBD LBU RBU
//
// The reference library negates y for down and z for front also in files of exchanged axes, where
// these are other directions. Its files of the axes LFD, RFD, LBU and RBU, unlike the other twelve,
// do not have the axes that they name. The name counts here.
func numberedAxes(number uint32) axes {
	bits := number - 1
	a := signs{-1, 1, -1}
	if bits&1 != 0 { // right
		a[0] = 1
	}
	if bits&2 != 0 { // up
		a[1] = -1
	}
	if bits&4 != 0 { // front
		a[2] = 1
	}
	if number >= axesExchanged {
		// The signs precede the quarter turn here, so y and z exchange them.
		return axes{signs{a[0], a[2], a[1]}, true}
	}
	return axes{signs: a}
}

// rotation returns the signs of x, y and z of a quaternion. They are also right for mirrored
// axes, in which a rotation has the opposite direction.
//
// The component x turns the plane of y and z, so it has the signs of both; likewise y and z.
func (a signs) rotation() [3]float32 { return [3]float32{a[1] * a[2], a[0] * a[2], a[0] * a[1]} }

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
func (a signs) harmonics(degree int) []float32 {
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
// length, of 32 bits each, and then that many bytes.
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
			case number < axesEnd:
				found = numberedAxes(number)
			default:
				return found, input.Damaged(name, "its axes have the number %d, which does not exist", number)
			}
		}
		b = b[length:]
	}
	return found, nil
}
