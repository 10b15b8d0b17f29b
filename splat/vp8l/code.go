package vp8l

import (
	"cmp"
	"math/bits"
	"slices"
)

const (
	maxCodeLength       = 15 // of a symbol
	maxLengthCodeLength = 7  // of a code length
	lengthCodes         = 19 // code lengths and the three ways to repeat one
)

// code is a canonical prefix code: for each symbol its length in bits, 0 for
// those that do not occur, and its bits as they are written.
type code struct {
	lengths []uint8
	bits    []uint16
}

// leaf is a symbol that occurs, as a leaf of a Huffman tree.
type leaf struct {
	count  uint32
	symbol uint32
}

// coder builds prefix codes and writes them. It keeps its buffers; the zero
// value is ready.
type coder struct {
	leaves  []leaf
	weights []uint64
	parents []int32
	tokens  []lengthToken
	lengths code // of the code lengths of another
}

// build sets c to the code for these counts, none longer than limit bits. A
// single symbol gets a length of 1, although it is written with no bits (RFC
// 9649, section 3.7.2.1).
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
	perLength := h.tree(limit)
	// The rarest symbols get the longest codes, whatever places shorten moved
	// their leaves to: only how many there are of each length matters.
	next := 0
	for length := limit; length > 0; length-- {
		for range perLength[length] {
			c.lengths[h.leaves[next].symbol] = uint8(length)
			next++
		}
	}
	c.assign()
}

// tree returns how many leaves of a Huffman tree have each depth, with none
// deeper than limit. The leaves are sorted by count, so that the inner nodes
// come into being in order of weight and two queues do for a heap.
func (h *coder) tree(limit int) (perLength [maxCodeLength + 1]int) {
	n := len(h.leaves)
	h.weights = resize(h.weights, 2*n-1)
	h.parents = resize(h.parents, 2*n-1)
	for i, l := range h.leaves {
		h.weights[i] = uint64(l.count)
	}
	// Leaves stand before the inner nodes, the root is last. Of equal weights the
	// leaf is taken first, which keeps the tree flat.
	nextLeaf, nextInner := 0, n
	for made := n; made < 2*n-1; made++ {
		h.weights[made] = 0
		for range 2 {
			next := &nextInner
			if nextLeaf < n && (nextInner >= made || h.weights[nextLeaf] <= h.weights[nextInner]) {
				next = &nextLeaf
			}
			h.weights[made] += h.weights[*next]
			h.parents[*next] = int32(made)
			*next++
		}
	}
	// Parents come after their children: from the root down, depths take the
	// place of weights.
	h.weights[2*n-2] = 0
	for i := 2*n - 3; i >= 0; i-- {
		h.weights[i] = h.weights[h.parents[i]] + 1
		if i < n {
			perLength[min(h.weights[i], uint64(limit))]++
		}
	}
	shorten(&perLength, limit)
	return perLength
}

// shorten restores Kraft's equation after leaves that lay too deep were lifted to
// the limit: it takes the deepest leaf that is above it, puts it one level lower
// and hangs one of the leaves at the limit beside it.
func shorten(perLength *[maxCodeLength + 1]int, limit int) {
	sum := 0
	for length := 1; length <= limit; length++ {
		sum += perLength[length] << (limit - length)
	}
	for ; sum > 1<<limit; sum-- {
		length := limit - 1
		for perLength[length] == 0 {
			length--
		}
		perLength[length]--
		perLength[length+1] += 2
		perLength[limit]--
	}
}

// assign gives the symbols their bits in order of length and symbol. Codes are
// written from their highest bit on, everything else from the lowest, hence they
// are kept reversed.
func (c *code) assign() {
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

// resize returns a slice of n values that uses the memory of s where it can.
// What it holds is left over.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
