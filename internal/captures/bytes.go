package main

import (
	"bytes"
	"encoding/binary"
	"math"
)

// flip changes bits: one, some, or many.
func (m *mutator) flip(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	n := 1 << m.IntN(5)
	m.note("%d bits flipped", n)
	among := m.among(len(b))
	for range n {
		b[m.IntN(among)] ^= 1 << m.IntN(8)
	}
	return b
}

// among returns how many of n bytes are broken: now and then those of the beginning
// only, where headers are.
func (m *mutator) among(n int) int {
	if m.IntN(4) == 0 {
		return min(n, 64)
	}
	return n
}

// cut leaves the end out, every second time only a little of it: what comes before is
// sound then.
func (m *mutator) cut(b []byte) []byte {
	n := m.IntN(len(b) + 1)
	if m.IntN(2) == 0 {
		n = max(0, len(b)-1-m.IntN(32))
	}
	m.note("cut to %d bytes of %d", n, len(b))
	return b[:n]
}

// lie writes a number that is wrong where counts, lengths, offsets and floats are, in
// little endian: mostly at a place that numbers of its width are aligned to.
func (m *mutator) lie(b []byte) []byte {
	numbers := []uint64{
		0, 1, 2, 255, 65535, 1 << 16, 1 << 20, math.MaxInt32, 1 << 31, math.MaxUint32, 1 << 32,
		math.MaxInt64, 1 << 63, math.MaxUint64, uint64(len(b)), uint64(len(b)) - 1,
		0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, // floats: the infinities, none, the largest
	}
	v, width := numbers[m.IntN(len(numbers))], 1<<m.IntN(4)
	if len(b) < width {
		return b
	}
	at := m.IntN(m.among(len(b) - width + 1))
	if m.IntN(3) > 0 {
		at &^= width - 1
	}
	m.note("%#x in %d bytes at %d", v, width, at)
	copy(b[at:at+width], binary.LittleEndian.AppendUint64(nil, v))
	return b
}

// grow adds bytes to the end, which lengths in the file do not know of.
func (m *mutator) grow(b []byte) []byte {
	n := 1 << m.IntN(17)
	m.note("%d zeros behind", n)
	return append(b, make([]byte, n)...)
}

// repeat writes a part of the content over another: records that come twice, and
// headers where none should be.
func (m *mutator) repeat(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	from, to, n := m.IntN(len(b)), m.IntN(len(b)), 1<<m.IntN(16)
	m.note("%d bytes of %d at %d", n, from, to)
	copy(b[to:], bytes.Clone(b[from:min(from+n, len(b))]))
	return b
}

// blank makes a part of the content one byte: the zeros of a disk that was full, and
// the largest numbers that there are.
func (m *mutator) blank(b []byte) []byte {
	from := m.IntN(len(b) + 1)
	part, with := b[from:min(from+1<<m.IntN(16), len(b))], []byte{0, 0xff}[m.IntN(2)]
	m.note("%d bytes of %#x at %d", len(part), with, from)
	for i := range part {
		part[i] = with
	}
	return b
}
