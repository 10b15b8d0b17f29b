package ply

import (
	"encoding/binary"
	"math"
)

type scalar uint8

// The types of PLY. The zero value is not a type.
const (
	int8Scalar scalar = iota + 1
	uint8Scalar
	int16Scalar
	uint16Scalar
	int32Scalar
	uint32Scalar
	float32Scalar
	float64Scalar
)

// scalarOf returns the type with the name, in the spelling of 1994 or with its size.
func scalarOf(name string) (scalar, bool) {
	switch name {
	case "char", "int8":
		return int8Scalar, true
	case "uchar", "uint8":
		return uint8Scalar, true
	case "short", "int16":
		return int16Scalar, true
	case "ushort", "uint16":
		return uint16Scalar, true
	case "int", "int32":
		return int32Scalar, true
	case "uint", "uint32":
		return uint32Scalar, true
	case "float", "float32":
		return float32Scalar, true
	case "double", "float64":
		return float64Scalar, true
	default:
		return 0, false
	}
}

// size returns the size of a value in a binary file, in bytes; 0 for no type.
func (s scalar) size() int64 { return int64([...]uint8{0, 1, 1, 2, 2, 4, 4, 4, 8}[s]) }

// value decodes the value at the start of b. A float64 represents all types exactly.
func (s scalar) value(b []byte, order binary.ByteOrder) float64 {
	switch s {
	case int8Scalar:
		return float64(int8(b[0]))
	case uint8Scalar:
		return float64(b[0])
	case int16Scalar:
		return float64(int16(order.Uint16(b)))
	case uint16Scalar:
		return float64(order.Uint16(b))
	case int32Scalar:
		return float64(int32(order.Uint32(b)))
	case uint32Scalar:
		return float64(order.Uint32(b))
	case float32Scalar:
		return float64(math.Float32frombits(order.Uint32(b)))
	default:
		return math.Float64frombits(order.Uint64(b))
	}
}
