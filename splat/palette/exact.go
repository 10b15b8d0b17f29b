package palette

import (
	"context"
	"encoding/binary"
	"math"
)

// contextInterval is the number of points between two checks of the context.
const contextInterval = 1 << 14

// exactPalette returns the palette whose entries are the distinct points in the
// order of their first occurrence, or nil if there are more than size.
func exactPalette(ctx context.Context, points []float32, dimension, size int) (*Palette, error) {
	n := len(points) / dimension
	if n > size {
		if many, err := hasMoreDistinct(ctx, points, dimension, size); many || err != nil {
			return nil, err
		}
	}
	p := &Palette{Centroids: []float32{}, Labels: make([]uint32, n)}
	entryNumbers := make(map[string]uint32, min(n, size))
	key := make([]byte, 0, 4*dimension)
	for i := range n {
		if i%contextInterval == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		point := points[i*dimension : (i+1)*dimension]
		key = key[:0]
		for _, v := range point {
			key = binary.LittleEndian.AppendUint32(key, math.Float32bits(v+0)) // -0 is 0
		}
		number, known := entryNumbers[string(key)]
		if !known {
			if len(entryNumbers) == size {
				return nil, nil
			}
			number = uint32(len(entryNumbers))
			entryNumbers[string(key)] = number
			p.Centroids = append(p.Centroids, point...)
		}
		p.Labels[i] = number
	}
	return p, nil
}

// hasMoreDistinct reports whether the points have more than size distinct hashes,
// and so more than size points are distinct. For most captures that settles the
// question, in a tenth of the memory of comparing the points themselves.
func hasMoreDistinct(ctx context.Context, points []float32, dimension, size int) (bool, error) {
	seen := make(map[uint64]struct{}, size+1)
	for i := range len(points) / dimension {
		if i%contextInterval == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		seen[hashPoint(points[i*dimension:(i+1)*dimension])] = struct{}{}
		if len(seen) > size {
			return true, nil
		}
	}
	return false, nil
}

// hashPoint returns the hash of a point by Fowler, Noll and Vo (FNV-1a), applied to
// 32 bits at a time instead of bytes.
func hashPoint(point []float32) uint64 {
	const basis, prime = 14695981039346656037, 1099511628211
	h := uint64(basis)
	for _, v := range point {
		h = (h ^ uint64(math.Float32bits(v+0))) * prime // -0 is 0
	}
	return h
}
