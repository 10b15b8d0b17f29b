package sog

import (
	"math"

	"portico/splat/palette"
)

// codebookSample is how many values a codebook is made from: enough to place 256
// entries, and a third of what the largest chunks have.
const codebookSample = 1 << 19

// newCodebook returns a codebook for values. If no more than 256 of them differ,
// as in captures that were bytes before, all are entries; otherwise a sample and
// the extremes decide.
func newCodebook(values []float32) *palette.Codebook {
	// This pass is quick: captures of floats have 257 values soon.
	if different := distinct(values); different != nil {
		return palette.NewCodebook(different)
	}
	if len(values) <= codebookSample {
		return palette.NewCodebook(values)
	}
	// The step is odd and not divisible by three, so that all axes and channels
	// have their turn.
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

// distinct returns the values that differ, or nil if these are more than fit in a
// codebook. All are numbers.
func distinct(values []float32) []float32 {
	// A hash table with open addressing, at most a quarter full. Places are empty
	// that hold the bits of what is no number.
	const bits, empty = 10, math.MaxUint32
	var seen [1 << bits]uint32
	for i := range seen {
		seen[i] = empty
	}
	var different []float32
	for _, v := range values {
		key := math.Float32bits(v + 0) // minus zero becomes zero
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
