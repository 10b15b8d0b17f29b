package vp8l

import "math"

// costScale is the number of cost units in a bit. Costs are integers because a sum
// of floats would depend on the order of its terms.
const costScale = 16

// maxCost is the largest cost of a symbol, for symbols that have not occurred: a
// code of 15 bits and a little for its length in the file.
const maxCost = 18 * costScale

// nLog2nTable contains n*log2(n) for small n. Most counts are small, and a logarithm
// takes many times as long as a look-up.
var nLog2nTable = func() (t [1024]float64) {
	for n := 2; n < len(t); n++ {
		t[n] = float64(n) * math.Log2(float64(n))
	}
	return t
}()

func nLog2n(n uint32) float64 {
	if n < uint32(len(nLog2nTable)) {
		return nLog2nTable[n]
	}
	return float64(n) * math.Log2(float64(n))
}

// entropy returns the size in bits of an alphabet's symbols with an ideal code
// (Shannon's entropy times their number), and the number of distinct symbols. With
// counts n and their sum N it is N*log2(N) minus the sum of n*log2(n).
func entropy(counts []uint32) (bits float64, used int) {
	var total uint32
	for _, n := range counts {
		if n != 0 {
			total += n
			used++
			bits -= nLog2n(n)
		}
	}
	return bits + nLog2n(total), used
}

// histogramBits estimates the size in bits of the symbols in a histogram of all
// five alphabets, their extra bits and their codes.
func histogramBits(histogram []uint32) float64 {
	bits := 0.0
	for _, c := range alphabets(len(histogram)) {
		b, used := entropy(histogram[c[0]:c[1]])
		bits += b + codeBits(used)
	}
	// Symbol s of lengths and distances has (s-2)/2 extra bits.
	for s := 4; s < distanceSymbols; s++ {
		n := histogram[distanceStart+s]
		if s < lengthSymbols {
			n += histogram[lengthStart+s]
		}
		bits += float64(n) * float64((s-2)/2)
	}
	return bits
}

// codeBits estimates the size in bits of a code with used symbols: neighbouring
// symbols have similar code lengths, so that each takes about three bits.
func codeBits(used int) float64 {
	if used <= 2 {
		return float64(4 + 8*used)
	}
	return 50 + 3.2*float64(used)
}

// setSymbolCosts sets c to the cost of each symbol of one alphabet in units of
// 1/costScale bits. Symbols that have not occurred get a high cost, not an infinite
// one, because the next parse may still choose them.
func setSymbolCosts(c, counts []uint32) {
	var total uint32
	for _, n := range counts {
		total += n
	}
	top := math.Log2(float64(max(total, 1)))
	unusedCost := min(maxCost, uint32(costScale*(top+3)))
	for i, n := range counts {
		switch n {
		case 0:
			c[i] = unusedCost
		case total:
			c[i] = 0
		default:
			c[i] = min(maxCost, uint32(costScale*(top-math.Log2(float64(n)))+0.5))
		}
	}
}

// setHistogramCosts sets c to the costs of the symbols of all five alphabets.
func setHistogramCosts(c, histogram []uint32) {
	for _, r := range alphabets(len(histogram)) {
		setSymbolCosts(c[r[0]:r[1]], histogram[r[0]:r[1]])
	}
}
