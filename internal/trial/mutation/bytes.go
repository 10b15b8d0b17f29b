package main

import (
	"bytes"
	"encoding/binary"
	"math"
)

// flipBits flips 1 to 16 bits, as a bad disk or cable does.
func (m *mutator) flipBits(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	n := 1 << m.IntN(5)
	m.note("%d bits flipped", n)
	among := m.mutableBytes(len(b))
	for range n {
		b[m.IntN(among)] ^= 1 << m.IntN(8)
	}
	return b
}

// mutableBytes returns the number of leading bytes that a mutation may change: sometimes
// only the first, because headers are there.
func (m *mutator) mutableBytes(n int) int {
	if m.IntN(4) == 0 {
		return min(n, 64)
	}
	return n
}

// truncate removes the end, half of the time only a few bytes, so that everything before
// is valid.
func (m *mutator) truncate(b []byte) []byte {
	n := m.IntN(len(b) + 1)
	if m.IntN(2) == 0 {
		n = max(0, len(b)-1-m.IntN(32))
	}
	m.note("cut to %d bytes of %d", n, len(b))
	return b[:n]
}

// writeNumber writes a number that is extreme as a count, a length, an offset or a float,
// in little endian and mostly aligned to its width.
func (m *mutator) writeNumber(b []byte) []byte {
	// Counts that overflow when they are multiplied by a size, lengths that reach just to
	// the end or past it, and floats that comparisons treat specially.
	numbers := []uint64{
		0, 1, 2, 255, 65535, 1 << 16, 1 << 20, math.MaxInt32, 1 << 31, math.MaxUint32, 1 << 32,
		math.MaxInt64, 1 << 63, math.MaxUint64, uint64(len(b)), uint64(len(b)) - 1,
		0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, // floats: infinities, NaN, the maximum
	}
	v, width := numbers[m.IntN(len(numbers))], 1<<m.IntN(4)
	if len(b) < width {
		return b
	}
	at := m.IntN(m.mutableBytes(len(b) - width + 1))
	if m.IntN(3) > 0 {
		at &^= width - 1
	}
	m.note("%#x in %d bytes at %d", v, width, at)
	copy(b[at:at+width], binary.LittleEndian.AppendUint64(nil, v))
	return b
}

// appendZeros appends zeros, which the lengths in the file do not include.
func (m *mutator) appendZeros(b []byte) []byte {
	n := 1 << m.IntN(17)
	m.note("%d zeros appended", n)
	return append(b, make([]byte, n)...)
}

// copyPart copies a part of the content over another, which duplicates records and puts
// headers in wrong places.
func (m *mutator) copyPart(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	from, to, n := m.IntN(len(b)), m.IntN(len(b)), 1<<m.IntN(16)
	m.note("%d bytes of %d at %d", n, from, to)
	copy(b[to:], bytes.Clone(b[from:min(from+n, len(b))]))
	return b
}

// fillPart fills a part of the content with zeros, as on a full disk, or with 0xff, which
// gives the largest integers.
func (m *mutator) fillPart(b []byte) []byte {
	from := m.IntN(len(b) + 1)
	part, with := b[from:min(from+1<<m.IntN(16), len(b))], []byte{0, 0xff}[m.IntN(2)]
	m.note("%d bytes of %#x at %d", len(part), with, from)
	for i := range part {
		part[i] = with
	}
	return b
}
