package vp8l

import "encoding/binary"

// bitWriter packs values into bytes, the least significant bit first, as section
// 3.1 of RFC 9649 has it. The zero value is ready.
type bitWriter struct {
	bytes []byte
	held  uint64 // bits that make no whole word yet, the oldest lowest
	count uint   // how many of them there are, below 32
}

// reset forgets what was written and keeps the memory.
func (b *bitWriter) reset() {
	*b = bitWriter{bytes: b.bytes[:0]}
}

// write appends the count lowest bits of value; count is at most 32, and the
// bits above are zero.
func (b *bitWriter) write(value uint32, count uint) {
	b.held |= uint64(value) << b.count
	b.count += count
	if b.count >= 32 {
		b.bytes = binary.LittleEndian.AppendUint32(b.bytes, uint32(b.held))
		b.held >>= 32
		b.count -= 32
	}
}

// flag appends one bit.
func (b *bitWriter) flag(set bool) {
	if set {
		b.write(1, 1)
		return
	}
	b.write(0, 1)
}

// close fills the last byte with zero bits and returns everything written. The
// bytes are valid until the next reset.
func (b *bitWriter) close() []byte {
	for ; b.count > 0; b.count -= min(b.count, 8) {
		b.bytes = append(b.bytes, byte(b.held))
		b.held >>= 8
	}
	return b.bytes
}
