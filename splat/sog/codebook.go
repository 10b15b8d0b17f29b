package sog

import (
	"math"
	"slices"

	"portico/splat/palette"
)

// codebookSample is the maximum number of values from which a codebook is built: enough
// to place 256 entries, and a third of the values of the largest chunks.
const codebookSample = 1 << 19

// newCodebook returns a codebook for values. If there are at most 256 distinct values, as in
// captures that were stored as bytes, they are the entries. Otherwise a sample and all values near
// the extremes determine the codebook. The order of values matters only for the sample.
func newCodebook(values []float32) *palette.Codebook {
	// This pass is fast: in captures of floats, it finds 257 values soon and stops.
	if different := distinctValues(values); different != nil {
		return palette.NewCodebook(different)
	}
	step := len(values)/codebookSample + 1
	// The step is odd and not divisible by three, so that the sample covers all axes
	// and channels.
	for step > 1 && (step%2 == 0 || step%3 == 0) {
		step++
	}
	sample := make([]float32, 0, len(values)/step+1)
	for i := 0; i < len(values); i += step {
		sample = append(sample, values[i])
	}
	return palette.NewCodebook(append(sample, tailValues(values, sample, step)...))
}

// tailShare is the share of the values at each end that counts about tailWeight times as
// much as others, and tailSample the number of values by which the ends are found.
const (
	tailShare  = 1.0 / 1024
	tailWeight = 5
	tailSample = 1 << 14
)

// tailValues returns the values at the ends of the distribution, repeated for a sample of every
// step-th value. They are few, but far apart: entries that are placed by a sample, or for
// the smallest sum of the squared errors, leave the largest errors of all there.
func tailValues(values, sample []float32, step int) (all []float32) {
	sorted := make([]float32, 0, tailSample+1)
	for i := 0; i < len(sample); i += len(sample)/tailSample + 1 {
		sorted = append(sorted, sample[i])
	}
	slices.Sort(sorted)
	skip := int(tailShare * float64(len(sorted)))
	low, high := sorted[skip], sorted[len(sorted)-1-skip]
	for _, v := range values {
		if v < low || v > high {
			for range max(1, (tailWeight-1)/step) {
				all = append(all, v)
			}
		}
	}
	return all
}

// distinctValues returns the distinct values, or nil if there are more than fit in a codebook.
// No value may be NaN.
func distinctValues(values []float32) []float32 {
	// A hash table with open addressing, at most a quarter full. The bits of a NaN
	// represent empty slots.
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
