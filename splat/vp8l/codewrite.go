package vp8l

import (
	"encoding/binary"
	"slices"
)

// lengthOrder is the order in which a file stores the code for code lengths (RFC
// 9649, section 3.7.2.1.2).
var lengthOrder = [lengthCodes]int{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// Symbols above 15 repeat a code length: the previous one that was not zero, or
// zero a few or many times. repeatBits extra bits hold the number of repeats.
const (
	repeatPrevious   = 16
	repeatZerosShort = 17
	repeatZerosLong  = 18
)

// repeatBits is the number of extra bits of each symbol: up to 6, 10 and 138 repeats.
var repeatBits = [lengthCodes]uint{repeatPrevious: 2, repeatZerosShort: 3, repeatZerosLong: 7}

// lengthToken is a code length, or a repeat with the value of its extra bits.
type lengthToken struct {
	symbol uint8
	extra  uint8
}

// write writes c. Afterwards, a code of a single symbol has length 0, because its
// symbol is written with no bits.
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
		writeSimpleCode(b, []int{0})
	case len(used) <= 2 && used[len(used)-1] < 256:
		writeSimpleCode(b, used)
	default:
		h.writeNormalCode(b, c.lengths)
	}
	if len(used) == 1 {
		c.lengths[used[0]] = 0
	}
}

// writeSimpleCode writes a simple code length code: one or two symbols below 256
// (RFC 9649, section 3.7.2.1.1).
//
//	1 bit        1, simple
//	1 bit        the number of symbols minus 1
//	1 bit        whether the first symbol has 8 bits instead of 1
//	1 or 8 bits  the first symbol
//	8 bits       the second symbol, if any
func writeSimpleCode(b *bitWriter, symbols []int) {
	b.writeFlag(true)
	b.writeFlag(len(symbols) == 2)
	if symbols[0] < 2 {
		b.writeFlag(false)
		b.write(uint32(symbols[0]), 1)
	} else {
		b.writeFlag(true)
		b.write(uint32(symbols[0]), 8)
	}
	for _, second := range symbols[1:] {
		b.write(uint32(second), 8)
	}
}

// writeNormalCode writes a normal code length code: the lengths of all symbols, in
// a prefix code of their own (RFC 9649, section 3.7.2.1.2). It leaves out trailing
// zeros if that is shorter.
//
//	1 bit     0, normal
//	4 bits    the number of lengths of the code for lengths, minus 4
//	3 bits    each of these lengths, in lengthOrder
//	1 bit     whether a count of tokens follows
//	3 bits    with a count: half of its width, minus 1
//	…         the count minus 2
//	…         the tokens, each with its extra bits
func (h *coder) writeNormalCode(b *bitWriter, lengths []uint8) {
	h.runLengths(lengths)
	var counts [lengthCodes]uint32
	for _, t := range h.tokens {
		counts[t.symbol]++
	}
	c := &h.lengths
	h.build(c, counts[:], maxLengthCodeLength)
	b.writeFlag(false)
	n := lengthCodes
	for n > 4 && c.lengths[lengthOrder[n-1]] == 0 {
		n--
	}
	b.write(uint32(n-4), 4)
	// Lengths that are rarely used come last in the order, so trailing zeros were
	// dropped.
	for _, s := range lengthOrder[:n] {
		b.write(uint32(c.lengths[s]), 3)
	}
	if len(h.leaves) == 1 {
		clear(c.lengths)
	}
	written := writeCount(b, h.tokens, c.lengths)
	for _, t := range h.tokens[:written] {
		b.write(uint32(c.bits[t.symbol]), uint(c.lengths[t.symbol]))
		b.write(uint32(t.extra), repeatBits[t.symbol])
	}
}

// writeCount writes either the number of tokens up to the last that is not zero, or
// a flag that tokens cover the whole alphabet, whichever is shorter in total. It
// returns the number of tokens to write.
func writeCount(b *bitWriter, tokens []lengthToken, lengths []uint8) int {
	written, saved := len(tokens), uint(0)
	for written > 2 && isZero(tokens[written-1].symbol) {
		written--
		s := tokens[written].symbol
		saved += uint(lengths[s]) + repeatBits[s]
	}
	// Three bits hold the width of the count: 2, 4, ... 16 bits for the count
	// minus 2.
	size := uint(2)
	for written-2 >= 1<<size {
		size += 2
	}
	if saved <= 3+size {
		b.writeFlag(false)
		return len(tokens)
	}
	b.writeFlag(true)
	b.write(uint32(size-2)/2, 3)
	b.write(uint32(written-2), size)
	return written
}

// isZero reports whether a token's symbol means lengths of zero.
func isZero(symbol uint8) bool {
	return symbol == 0 || symbol == repeatZerosShort || symbol == repeatZerosLong
}

// runLengths sets h.tokens to the run-length encoding of code lengths.
func (h *coder) runLengths(lengths []uint8) {
	h.tokens = h.tokens[:0]
	last := uint8(8) // the format's initial value for repeatPrevious
	for len(lengths) > 0 {
		value, n := lengths[0], 1
		for n < len(lengths) && lengths[n] == value {
			n++
		}
		lengths = lengths[n:]
		if value == 0 {
			h.writeZeroRun(n)
			continue
		}
		if value != last {
			h.tokens = append(h.tokens, lengthToken{value, 0})
			last = value
			n--
		}
		// A repeat covers three to six lengths; fewer are written one by one.
		for ; n >= 3; n -= min(n, 6) {
			h.tokens = append(h.tokens, lengthToken{repeatPrevious, uint8(min(n, 6) - 3)})
		}
		for range n {
			h.tokens = append(h.tokens, lengthToken{value, 0})
		}
	}
}

// writeZeroRun appends the tokens for n lengths of zero.
func (h *coder) writeZeroRun(n int) {
	for ; n >= 11; n -= min(n, 138) {
		h.tokens = append(h.tokens, lengthToken{repeatZerosLong, uint8(min(n, 138) - 11)})
	}
	if n >= 3 {
		h.tokens = append(h.tokens, lengthToken{repeatZerosShort, uint8(n - 3)})
		return
	}
	for range n {
		h.tokens = append(h.tokens, lengthToken{0, 0})
	}
}

// codeGroup holds the five codes of a prefix code group in file order: green with
// lengths and cache indices, red, blue, alpha, and distances.
type codeGroup struct {
	codes [5]code
	// literals holds the codes of green, red, blue and alpha again, with the bits in the
	// lower and the length in the upper half: one look-up instead of two, in an array that
	// needs no bounds checks.
	literals [4][256]uint32
}

// setLiterals copies the codes to literals. Call it after a change of the codes and before
// writeLiterals.
func (g *codeGroup) setLiterals() {
	for k := range g.literals {
		c := &g.codes[k]
		for s := range g.literals[k] {
			g.literals[k][s] = uint32(c.lengths[s])<<16 | uint32(c.bits[s])
		}
	}
}

// writeLiterals writes literal pixels (RFC 9649, section 3.7.2.3). It is bitWriter.write with
// its state in variables, because nearly all bits of a texture are written here.
func (g *codeGroup) writeLiterals(b *bitWriter, pixels []uint32) {
	green, red, blue, alpha := &g.literals[0], &g.literals[1], &g.literals[2], &g.literals[3]
	const maxPixelBytes = 8 // four codes have at most 60 bits
	b.bytes = slices.Grow(b.bytes, maxPixelBytes*len(pixels)+4)
	at, pending, count := len(b.bytes), b.pending, uint32(b.count)
	out := b.bytes[:cap(b.bytes)]
	for _, c := range pixels {
		// Two codes have at most 30 bits and fit beside the 31 that may be pending. Masking
		// the count shows the compiler that no shift is too far.
		first, second := green[byte(c>>8)], red[byte(c>>16)]
		pending |= uint64(first&0xffff) << (count & 63)
		count += first >> 16
		pending |= uint64(second&0xffff) << (count & 63)
		if count += second >> 16; count >= 32 {
			binary.LittleEndian.PutUint32(out[at:], uint32(pending))
			at, pending, count = at+4, pending>>32, count-32
		}
		first, second = blue[byte(c)], alpha[c>>24]
		pending |= uint64(first&0xffff) << (count & 63)
		count += first >> 16
		pending |= uint64(second&0xffff) << (count & 63)
		if count += second >> 16; count >= 32 {
			binary.LittleEndian.PutUint32(out[at:], uint32(pending))
			at, pending, count = at+4, pending>>32, count-32
		}
	}
	b.bytes, b.pending, b.count = out[:at], pending, uint(count)
}

// writeToken writes a token that is not a literal.
func (g *codeGroup) writeToken(b *bitWriter, t token) {
	if t.length == cached {
		g.codes[0].write(b, cacheStart-greenStart+int(t.value))
		return
	}
	symbol, count, extra := prefixEncode(t.length)
	g.codes[0].write(b, lengthStart-greenStart+symbol)
	b.write(extra, count)
	symbol, count, extra = prefixEncode(t.value)
	g.codes[4].write(b, symbol)
	b.write(extra, count)
}

// symbol returns a symbol's bits and their number, which is 0 for the only symbol
// of a code.
func (c *code) symbol(symbol int) (bits uint32, count uint) {
	return uint32(c.bits[symbol]), uint(c.lengths[symbol])
}

// write writes the bits of a symbol: none for the only symbol of a code.
func (c *code) write(b *bitWriter, symbol int) {
	b.write(c.symbol(symbol))
}
