package palette

import (
	"context"
	"encoding/binary"
	"math"
)

// often is how many points are between two looks at the context.
const often = 1 << 14

// exact returns the palette whose entries are the points that differ, in the
// order of their first appearance, or nil if these are more than size.
func exact(ctx context.Context, points []float32, dimension, size int) (*Palette, error) {
	n := len(points) / dimension
	if n > size {
		if many, err := differ(ctx, points, dimension, size); many || err != nil {
			return nil, err
		}
	}
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

// differ tells whether the hashes of more than size points differ, as then the
// points do. That is nearly always so, and takes a tenth of the memory of finding
// out with the points themselves.
func differ(ctx context.Context, points []float32, dimension, size int) (bool, error) {
	seen := make(map[uint64]struct{}, size+1)
	for i := range len(points) / dimension {
		if i%often == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		seen[hash(points[i*dimension:(i+1)*dimension])] = struct{}{}
		if len(seen) > size {
			return true, nil
		}
	}
	return false, nil
}

// hash returns that of a point by Fowler, Noll and Vo, a value at a time.
func hash(point []float32) uint64 {
	const basis, prime = 14695981039346656037, 1099511628211
	h := uint64(basis)
	for _, v := range point {
		h = (h ^ uint64(math.Float32bits(v+0))) * prime // -0 is 0
	}
	return h
}
