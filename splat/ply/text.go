package ply

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"

	"portico/splat/input"
)

// MaxText is the size of the largest text file whose Gaussians are read, in bytes.
// Larger ones are refused: they are parsed into memory, of which they take at most
// twice their size.
const MaxText = 256 << 20

// parseRows turns the vertices of a text file into a table in memory, and returns
// it with the element that describes its rows: all values are little-endian
// float32, which is what Gaussians are read as.
func (f *File) parseRows(ctx context.Context, vertices *element) (table, *element, error) {
	if size := f.file.Size(); size > MaxText {
		return table{}, nil, input.Errorf(f.name, "holds Gaussians as text of %d bytes, at most %d can be read; save it as binary", size, MaxText)
	}
	e := &element{name: vertices.name, count: vertices.count}
	for _, p := range vertices.properties {
		p.scalar = float32Scalar
		e.properties = append(e.properties, p)
	}
	stride, _ := e.stride()
	// The size of the file has been checked against the count, so it bounds this.
	data := make([]byte, 0, stride*e.count)
	err := f.walk(ctx, vertices, func(_ int, value float64) {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(value)))
	})
	if err != nil {
		return table{}, nil, err
	}
	return table{file: bytes.NewReader(data), stride: int(stride), count: int(e.count)}, e, nil
}
