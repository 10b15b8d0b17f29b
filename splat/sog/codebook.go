package sog

import (
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
// codebook.
func distinct(values []float32) []float32 {
	known := make(map[float32]bool, codebookSize)
	var different []float32
	for _, v := range values {
		if known[v] {
			continue
		}
		if len(different) == codebookSize {
			return nil
		}
		known[v] = true
		different = append(different, v)
	}
	return different
}
