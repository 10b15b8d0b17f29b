package vp8l

import "math"

// costScale is how many units of cost make a bit. Costs are whole numbers, so
// that sums of them do not depend on their order.
const costScale = 16

// maxCost is what a symbol costs that has not been seen: a code of 15 bits and
// a little for its entry in the header.
const maxCost = 18 * costScale

// countTable holds n*log2(n) for small n; most counts are small.
var countTable = func() (t [1024]float64) {
	for n := 2; n < len(t); n++ {
		t[n] = float64(n) * math.Log2(float64(n))
	}
	return t
}()

// countBits returns n*log2(n).
func countBits(n uint32) float64 {
	if n < uint32(len(countTable)) {
		return countTable[n]
	}
	return float64(n) * math.Log2(float64(n))
}

// entropy returns how many bits the symbols counted in one alphabet need with an
// ideal code, and how many different ones there are.
func entropy(counts []uint32) (bits float64, used int) {
	var total uint32
	for _, n := range counts {
		if n != 0 {
			total += n
			used++
			bits -= countBits(n)
		}
	}
	return bits + countBits(total), used
}

// histogramBits estimates the size of the symbols in a histogram of all five
// alphabets together with the codes that they need.
func histogramBits(histogram []uint32) float64 {
	bits := 0.0
	for _, c := range channels(len(histogram)) {
		b, used := entropy(histogram[c[0]:c[1]])
		bits += b + codeBits(used)
	}
	for s := 4; s < distanceSymbols; s++ {
		n := histogram[distanceStart+s]
		if s < lengthSymbols {
			n += histogram[lengthStart+s]
		}
		bits += float64(n) * float64((s-2)/2)
	}
	return bits
}

// codeBits estimates the size of a code for so many symbols: the code lengths of
// neighbours are alike, but not the same.
func codeBits(used int) float64 {
	if used <= 2 {
		return float64(4 + 8*used)
	}
	return 50 + 3.2*float64(used)
}

// costs sets c to what each symbol of one alphabet costs, in units of
// 1/costScale bits, if it is as frequent as counted. Symbols that were not
// counted cost maxCost.
func costs(c, counts []uint32) {
	var total uint32
	for _, n := range counts {
		total += n
	}
	top := math.Log2(float64(max(total, 1)))
	unseen := min(maxCost, uint32(costScale*(top+3)))
	for i, n := range counts {
		switch n {
		case 0:
			c[i] = unseen
		case total:
			c[i] = 0
		default:
			c[i] = min(maxCost, uint32(costScale*(top-math.Log2(float64(n)))+0.5))
		}
	}
}

// allCosts is costs for all five alphabets.
func allCosts(c, histogram []uint32) {
	for _, r := range channels(len(histogram)) {
		costs(c[r[0]:r[1]], histogram[r[0]:r[1]])
	}
}
