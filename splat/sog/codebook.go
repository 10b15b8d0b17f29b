package sog

import (
	"math"

	"portico/splat/palette"
)

// codebookSample is the maximum number of values from which a codebook is built: enough
// to place 256 entries, and a third of the values of the largest chunks.
const codebookSample = 1 << 19

// newCodebook returns a codebook for values. If there are at most 256 distinct values,
// as in captures that were stored as bytes, they are the entries. Otherwise a sample
// and the extremes determine the codebook.
func newCodebook(values []float32) *palette.Codebook {
	// This pass is fast: in captures of floats, it finds 257 values soon and stops.
	if different := distinct(values); different != nil {
		return palette.NewCodebook(different)
	}
	if len(values) <= codebookSample {
		return palette.NewCodebook(values)
	}
	// The step is odd and not divisible by three, so that the sample covers all axes
	// and channels.
	step := len(values)/codebookSample + 1
	for step%2 == 0 || step%3 == 0 {
		step++
	}
	sample, low, high := make([]float32, 0, len(values)/step+3), values[0], values[0]
	for i, v := range values {
		low, high = min(low, v), max(high, v)
		if i%step == 0 {
			sample = append(sample, v)
		}
	}
	return palette.NewCodebook(append(sample, low, high))
}

// distinct returns the distinct values, or nil if there are more than fit in a codebook.
// No value may be NaN.
func distinct(values []float32) []float32 {
	// A hash table with open addressing, at most a quarter full. The bits of a NaN
	// mark empty slots.
	const bits, empty = 10, math.MaxUint32
	var seen [1 << bits]uint32
	for i := range seen {
		seen[i] = empty
	}
	var different []float32
	for _, v := range values {
		key := math.Float32bits(v + 0) // turns -0 into 0
		// Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4): the factor is
		// 2^32 divided by the golden ratio, which spreads the bits of close values.
		at := key * 0x9e3779b1 >> (32 - bits)
		for seen[at] != empty && seen[at] != key {
			at = (at + 1) % uint32(len(seen))
		}
		if seen[at] == key {
			continue
		}
		if len(different) == codebookSize {
			return nil
		}
		seen[at] = key
		different = append(different, v)
	}
	return different
}
