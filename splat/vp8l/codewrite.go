package vp8l

// lengthOrder is the order in which the lengths of the code for code lengths are
// written (RFC 9649, section 3.7.2.1.2).
var lengthOrder = [lengthCodes]int{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// The code lengths above 15 repeat: the last one that was not zero, zero a few
// times, zero many times. This many bits with the number of repeats follow.
const (
	repeatLast  = 16
	repeatZero  = 17
	repeatZeros = 18
)

var repeatBits = [lengthCodes]uint{repeatLast: 2, repeatZero: 3, repeatZeros: 7}

// lengthToken is a code length, or a repeat and its number of repeats as written.
type lengthToken struct {
	symbol uint8
	extra  uint8
}

// write writes the code c for the counts it was built from, and makes a code of
// a single symbol one that is written with no bits.
func (h *coder) write(b *bitWriter, c *code) {
	used := make([]int, 0, 3)
	for s, l := range c.lengths {
		if l != 0 {
			used = append(used, s)
		}
		if len(used) > 2 {
			break
		}
	}
	switch {
	case len(used) == 0:
		writeSimple(b, []int{0})
	case len(used) <= 2 && used[len(used)-1] < 256:
		writeSimple(b, used)
	default:
		h.writeLengths(b, c.lengths)
	}
	if len(used) == 1 {
		c.lengths[used[0]] = 0
	}
}

// writeSimple writes a code of one or two symbols below 256 (RFC 9649, section
// 3.7.2.1.1).
func writeSimple(b *bitWriter, symbols []int) {
	b.flag(true)
	b.flag(len(symbols) == 2)
	if symbols[0] < 2 {
		b.flag(false)
		b.write(uint32(symbols[0]), 1)
	} else {
		b.flag(true)
		b.write(uint32(symbols[0]), 8)
	}
	for _, second := range symbols[1:] {
		b.write(uint32(second), 8)
	}
}

// writeLengths writes a code as its code lengths, which have a prefix code of
// their own (RFC 9649, section 3.7.2.1.2). Zeros at the end are left out where
// saying so is shorter.
func (h *coder) writeLengths(b *bitWriter, lengths []uint8) {
	h.runs(lengths)
	var counts [lengthCodes]uint32
	for _, t := range h.tokens {
		counts[t.symbol]++
	}
	c := &h.lengths
	h.build(c, counts[:], maxLengthCodeLength)
	b.flag(false)
	n := lengthCodes
	for n > 4 && c.lengths[lengthOrder[n-1]] == 0 {
		n--
	}
	b.write(uint32(n-4), 4)
	// The order puts those that are rare last; zeros there are left out.
	for _, s := range lengthOrder[:n] {
		b.write(uint32(c.lengths[s]), 3)
	}
	if len(h.leaves) == 1 {
		clear(c.lengths)
	}
	kept := writeCount(b, h.tokens, c.lengths)
	for _, t := range h.tokens[:kept] {
		b.write(uint32(c.bits[t.symbol]), uint(c.lengths[t.symbol]))
		b.write(uint32(t.extra), repeatBits[t.symbol])
	}
}

// writeCount writes how many tokens follow, or that they go on to the end of the
// alphabet, whichever is shorter, and returns how many of them to write.
func writeCount(b *bitWriter, tokens []lengthToken, lengths []uint8) int {
	kept, saved := len(tokens), uint(0)
	for kept > 2 && isZero(tokens[kept-1].symbol) {
		kept--
		s := tokens[kept].symbol
		saved += uint(lengths[s]) + repeatBits[s]
	}
	// The count less two, in 2, 4, .. 16 bits, after three that say which.
	size := uint(2)
	for kept-2 >= 1<<size {
		size += 2
	}
	if saved <= 3+size {
		b.flag(false)
		return len(tokens)
	}
	b.flag(true)
	b.write(uint32(size-2)/2, 3)
	b.write(uint32(kept-2), size)
	return kept
}

// isZero reports whether a token stands for lengths of zero only.
func isZero(symbol uint8) bool {
	return symbol == 0 || symbol == repeatZero || symbol == repeatZeros
}

// runs sets h.tokens to the code lengths with runs of them shortened.
func (h *coder) runs(lengths []uint8) {
	h.tokens = h.tokens[:0]
	last := uint8(8) // what repeatLast repeats at the start
	for len(lengths) > 0 {
		value, n := lengths[0], 1
		for n < len(lengths) && lengths[n] == value {
			n++
		}
		lengths = lengths[n:]
		if value == 0 {
			h.zeros(n)
			continue
		}
		if value != last {
			h.tokens = append(h.tokens, lengthToken{value, 0})
			last = value
			n--
		}
		// What is left of a run below three lengths is shorter in full.
		for ; n >= 3; n -= min(n, 6) {
			h.tokens = append(h.tokens, lengthToken{repeatLast, uint8(min(n, 6) - 3)})
		}
		for range n {
			h.tokens = append(h.tokens, lengthToken{value, 0})
		}
	}
}

// zeros appends the tokens for n lengths of zero.
func (h *coder) zeros(n int) {
	for ; n >= 11; n -= min(n, 138) {
		h.tokens = append(h.tokens, lengthToken{repeatZeros, uint8(min(n, 138) - 11)})
	}
	if n >= 3 {
		h.tokens = append(h.tokens, lengthToken{repeatZero, uint8(n - 3)})
		return
	}
	for range n {
		h.tokens = append(h.tokens, lengthToken{0, 0})
	}
}

// codeGroup holds the codes of green with lengths and cache, red, blue, alpha and
// distances, in the order in which a file has them.
type codeGroup [5]code

// write writes a token (RFC 9649, section 3.7.2.3).
func (g *codeGroup) write(b *bitWriter, t token) {
	switch t.length {
	case literal:
		// Two codes have no more bits than one write takes.
		first, size := g[0].symbol(int(t.value >> 8 & 255))
		second, more := g[1].symbol(int(t.value >> 16 & 255))
		b.write(first|second<<size, size+more)
		first, size = g[2].symbol(int(t.value & 255))
		second, more = g[3].symbol(int(t.value >> 24))
		b.write(first|second<<size, size+more)
	case cached:
		g[0].write(b, cacheStart-greenStart+int(t.value))
	default:
		symbol, count, extra := prefix(t.length)
		g[0].write(b, lengthStart-greenStart+symbol)
		b.write(extra, count)
		symbol, count, extra = prefix(t.value)
		g[4].write(b, symbol)
		b.write(extra, count)
	}
}

// symbol returns the bits of a symbol and how many they are, none if it is the only
// one.
func (c *code) symbol(symbol int) (bits uint32, count uint) {
	return uint32(c.bits[symbol]), uint(c.lengths[symbol])
}

// write writes a symbol.
func (c *code) write(b *bitWriter, symbol int) {
	b.write(c.symbol(symbol))
}
