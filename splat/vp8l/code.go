package vp8l

import (
	"cmp"
	"math/bits"
	"slices"
)

const (
	maxCodeLength       = 15 // bits of a symbol's code
	maxLengthCodeLength = 7  // bits of a code length's code
	lengthCodes         = 19 // the lengths 0 to 15 and three kinds of repeats
)

// code is a canonical prefix code. For each symbol it contains the length in bits,
// which is 0 if the symbol does not occur, and the bits in the order of writing.
type code struct {
	lengths []uint8
	bits    []uint16
}

// leaf is a symbol of a Huffman tree with the number of its occurrences.
type leaf struct {
	count  uint32
	symbol uint32
}

// coder builds prefix codes and writes them. It reuses its buffers. The zero value
// is ready to use.
type coder struct {
	leaves  []leaf
	weights []uint64
	parents []int32
	tokens  []lengthToken
	lengths code // the code for another code's lengths
}

// build sets c to the Huffman code for these counts, with codes of at most limit
// bits. A single symbol gets a length of 1, although it is written with no bits
// (RFC 9649, section 3.7.2.1).
func (h *coder) build(c *code, counts []uint32, limit int) {
	c.lengths = resize(c.lengths, len(counts))
	c.bits = resize(c.bits, len(counts))
	clear(c.lengths)
	clear(c.bits)
	h.leaves = h.leaves[:0]
	for s, n := range counts {
		if n != 0 {
			h.leaves = append(h.leaves, leaf{n, uint32(s)})
		}
	}
	switch len(h.leaves) {
	case 0:
		return
	case 1:
		c.lengths[h.leaves[0].symbol] = 1
		return
	}
	slices.SortFunc(h.leaves, func(a, b leaf) int {
		return cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(a.symbol, b.symbol))
	})
	lengthCounts := h.depthCounts(limit)
	// The rarest symbols get the longest codes. limitDepths may have moved leaves,
	// but the cost depends only on the number of codes of each length.
	next := 0
	for length := limit; length > 0; length-- {
		for range lengthCounts[length] {
			c.lengths[h.leaves[next].symbol] = uint8(length)
			next++
		}
	}
	c.assignBits()
}

// depthCounts returns the number of leaves at each depth of a Huffman tree that is
// at most limit deep. Because the leaves are sorted by count, inner nodes are
// created in order of weight, so two queues replace a heap (van Leeuwen, 1976).
func (h *coder) depthCounts(limit int) (counts [maxCodeLength + 1]int) {
	n := len(h.leaves)
	h.weights = resize(h.weights, 2*n-1)
	h.parents = resize(h.parents, 2*n-1)
	for i, l := range h.leaves {
		h.weights[i] = uint64(l.count)
	}
	// Nodes 0 to n-1 are leaves, the others inner nodes, and the last is the root.
	// Among equal weights, taking the leaf first keeps the tree shallow.
	nextLeaf, nextInner := 0, n
	for inner := n; inner < 2*n-1; inner++ {
		h.weights[inner] = 0
		for range 2 {
			next := &nextInner
			if nextLeaf < n && (nextInner >= inner || h.weights[nextLeaf] <= h.weights[nextInner]) {
				next = &nextLeaf
			}
			h.weights[inner] += h.weights[*next]
			h.parents[*next] = int32(inner)
			*next++
		}
	}
	// Parents come after their children. Walk down from the root and replace the
	// weights by depths.
	h.weights[2*n-2] = 0
	for i := 2*n - 3; i >= 0; i-- {
		h.weights[i] = h.weights[h.parents[i]] + 1
		if i < n {
			counts[min(h.weights[i], uint64(limit))]++
		}
	}
	limitDepths(&counts, limit)
	return counts
}

// limitDepths makes the code complete again after leaves were raised to the limit,
// which leaves too many there (Kraft's inequality). Each step takes the deepest
// leaf above the limit, moves it down one level, and puts a leaf from the limit
// beside it.
//
// A code is complete if the sum of 2^-length over its symbols is 1. The sum here is in units of
// 2^-limit, of which each step removes one.
func limitDepths(counts *[maxCodeLength + 1]int, limit int) {
	sum := 0
	for length := 1; length <= limit; length++ {
		sum += counts[length] << (limit - length)
	}
	for ; sum > 1<<limit; sum-- {
		length := limit - 1
		for counts[length] == 0 {
			length--
		}
		counts[length]--
		counts[length+1] += 2
		counts[limit]--
	}
}

// assignBits assigns canonical codes, in order of length and symbol. The bits are
// stored reversed: the format writes codes from their highest bit and everything
// else from the lowest.
//
// For symbols with the lengths 2, 1, 3, 3 the codes are
//
//	symbol    length    code    stored
//	1         1         0       0
//	0         2         10      01
//	2         3         110     011
//	3         3         111     111
func (c *code) assignBits() {
	var next [maxCodeLength + 2]uint16
	for _, l := range c.lengths {
		if l != 0 {
			next[l+1]++
		}
	}
	for l := 1; l < len(next); l++ {
		next[l] = (next[l-1] + next[l]) << 1
	}
	for s, l := range c.lengths {
		if l != 0 {
			c.bits[s] = bits.Reverse16(next[l]) >> (16 - l)
			next[l]++
		}
	}
}

// resize returns a slice of n values, in the memory of s if that is large enough.
// Its values are undefined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
