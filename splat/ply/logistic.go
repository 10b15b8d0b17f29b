package ply

import "math"

// expTableBits is log2 of the number of steps between two powers of two. The table of 128 steps has
// 1 KiB, so it stays in the processor's cache.
const expTableBits = 7

// expTable holds 2^(i/128) for each step.
var expTable = func() (t [1 << expTableBits]float64) {
	for i := range t {
		t[i] = math.Exp2(float64(i) / float64(len(t)))
	}
	return t
}()

// maxLogit is the logit from which an opacity is 1, or 0 for its negative, in a float32: the
// smallest float32 above 0 is 2^-149, whose logarithm is -103.3.
const maxLogit = 104

// logistic converts a logit into an opacity. Infinite logits become 0 and 1. Every Gaussian
// passes through it, so it computes e^v itself: a power of two, a step of the table, and a
// factor so close to 1 that four terms of the series are as precise as math.Exp in a float32
// (Tang, Table-driven implementation of the exponential function, ACM TOMS 15, 1989).
//
// The parts of e^-v, where steps are of size ln2/128:
//
//	2^(step div 128)    the exponent of a float64
//	2^(share)           from the table, whose index is step mod 128
//	e^r                 four terms of the series; r is at most half a step
func logistic(v float32) float32 {
	if !(v > -maxLogit && v < maxLogit) {
		return float32(1 / (1 + math.Exp(-float64(v)))) // also for a NaN
	}
	const steps = 1 << expTableBits
	x := -float64(v) * (steps / math.Ln2)
	// The conversion rounds towards zero, so it rounds down a number that is made positive:
	// steps are less than maxLogit*steps/ln2 from zero.
	const positive = 1 << 15
	step := int(x+(positive+0.5)) - positive
	r := (x - float64(step)) * (math.Ln2 / steps)
	factor := 1 + r*(1+r*(1./2+r*(1./6+r/24)))
	// A float64 stores its exponent plus 1023 above 52 bits of mantissa (IEEE 754).
	power := math.Float64frombits(uint64(step>>expTableBits+1023) << 52)
	return float32(1 / (1 + power*expTable[step&(steps-1)]*factor))
}
