package ply

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"

	"portico/splat/input"
	"portico/splat/records"
)

// MaxText is the maximum size of a file whose Gaussians are text or have lists, in bytes. It is
// parsed into memory, which takes at most four times the size of the file.
const MaxText = 256 << 20

// parseRows parses the vertices of a file into a table in memory, without their lists. The returned
// element describes its rows, in which all values are little-endian float32.
func (f *File) parseRows(ctx context.Context, vertices *element) (records.Table, *element, error) {
	if size := f.file.Size(); size > MaxText {
		return records.Table{}, nil, input.Errorf(f.name, "is too large: it contains Gaussians as text or with lists in %d bytes, at most %d can be read", size, MaxText).
			Advise("Export it as binary PLY without lists")
	}
	// All values become float32. A cloud has no other precision, and rows of float32 decode
	// fastest.
	e := &element{name: vertices.name, count: vertices.count}
	for _, p := range vertices.properties {
		if p.length == 0 {
			p.scalar = float32Scalar
			e.properties = append(e.properties, p)
		}
	}
	stride, _ := e.stride()
	// checkSize has compared the count with the length of the file, which limits this.
	data := make([]byte, 0, stride*e.count)
	offsets := make([]float64, len(vertices.properties))
	for axis, name := range axisNames {
		offsets[vertices.index(name)] = f.facts.Offset[axis]
	}
	err := f.walk(ctx, vertices, func(property int, value float64) {
		if vertices.properties[property].length != 0 {
			return
		}
		value -= offsets[property]
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(value)))
	})
	if err != nil {
		return records.Table{}, nil, err
	}
	return records.Table{File: bytes.NewReader(data), Stride: int(stride), Count: int(e.count)}, e, nil
}
