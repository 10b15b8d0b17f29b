package spz

import (
	"encoding/binary"

	"portico/splat/input"
)

// coordinateSystem is the extension SPZ_ADOBE_coordinate_system, which names the
// axes of the file. All others are skipped: they change nothing that is read.
const coordinateSystem = 0xadbe0003

// The axes that have names. Their numbers less one are made of one bit for right, one
// for up and one for front; those from 9 on have y and z exchanged as well.
const (
	axesUnspecified = 0
	axesRightUpBack = 4
	axesExchanged   = 9
	axesEnd         = 17
)

// axes holds the signs that turn x, y and z of a file to those of package gaussian:
// right, down, front.
type axes [3]float32

// native is the axes of a file that names none.
var native = namedAxes(axesRightUpBack)

// namedAxes returns the axes with a number from 1 to 8.
func namedAxes(number uint32) axes {
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

// rotation returns the signs of x, y and z of a quaternion, in a mirrored system too.
func (a axes) rotation() [3]float32 { return [3]float32{a[1] * a[2], a[0] * a[2], a[0] * a[1]} }

// harmonics returns the signs of all harmonics up to a degree. The one of degree l
// and order m is a polynomial whose terms all have each of x, y and z in even or all
// in odd powers: z in l-|m|; with m >= 0, y in none and x in m; with m < 0, y in one
// and x in |m|-1. The reference library, which has made the files, turns the last of
// degree 4 with y all the same.
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

// readExtensions reads the extensions: each is a type and a length of 32 bits and so
// many bytes. Those of the later axes are refused, because the reference library
// disagrees with their names.
func readExtensions(b []byte, name string) (axes, error) {
	found := native
	for len(b) >= 8 {
		kind, length := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		if b = b[8:]; uint64(length) > uint64(len(b)) {
			return found, input.Errorf(name, "is damaged: its extension %#x is cut off", kind)
		}
		if kind == coordinateSystem {
			if length != 4 {
				return found, input.Errorf(name, "is damaged: its extension %#x has %d bytes instead of 4", kind, length)
			}
			switch number := binary.LittleEndian.Uint32(b); {
			case number == axesUnspecified:
			case number < axesExchanged:
				found = namedAxes(number)
			case number < axesEnd:
				return found, input.Errorf(name, "has axes that cannot be read, number %d of its extension; save it with y upwards or downwards", number)
			default:
				return found, input.Errorf(name, "is damaged: its extension names axes number %d, which there are not", number)
			}
		}
		b = b[length:]
	}
	return found, nil
}
