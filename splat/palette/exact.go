package palette

import (
	"context"
	"encoding/binary"
	"math"
)

// exact returns the palette whose entries are the points that differ, in the
// order of their first appearance, or nil if these are more than size.
func exact(ctx context.Context, points []float32, dimension, size int) (*Palette, error) {
	const often = 1 << 14 // points between two looks at the context
	n := len(points) / dimension
	p := &Palette{Centroids: []float32{}, Labels: make([]uint32, n)}
	numbers := make(map[string]uint32, min(n, size))
	key := make([]byte, 0, 4*dimension)
	for i := range n {
		if i%often == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		point := points[i*dimension : (i+1)*dimension]
		key = key[:0]
		for _, v := range point {
			key = binary.LittleEndian.AppendUint32(key, math.Float32bits(v+0)) // -0 is 0
		}
		number, known := numbers[string(key)]
		if !known {
			if len(numbers) == size {
				return nil, nil
			}
			number = uint32(len(numbers))
			numbers[string(key)] = number
			p.Centroids = append(p.Centroids, point...)
		}
		p.Labels[i] = number
	}
	return p, nil
}
