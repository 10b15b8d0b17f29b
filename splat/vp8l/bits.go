package vp8l

import "encoding/binary"

// bitWriter packs values into bytes, least significant bit first (RFC 9649,
// section 3.1). The zero value is ready to use. It flushes 32 bits at a time,
// because a write takes up to 32 and all of them fit beside the pending bits.
type bitWriter struct {
	bytes   []byte
	pending uint64 // bits that are not in bytes yet, the oldest lowest
	count   uint   // number of pending bits, below 32
}

// reset drops the written bytes and keeps their memory.
func (b *bitWriter) reset() {
	*b = bitWriter{bytes: b.bytes[:0]}
}

// write appends the lowest count bits of value. Count is at most 32, and all
// higher bits of value must be zero.
//
// A write of 3 bits abc behind two pending bits de leaves abcde pending, of which e is the first in
// the file.
func (b *bitWriter) write(value uint32, count uint) {
	b.pending |= uint64(value) << b.count
	b.count += count
	if b.count >= 32 {
		b.bytes = binary.LittleEndian.AppendUint32(b.bytes, uint32(b.pending))
		b.pending >>= 32
		b.count -= 32
	}
}

func (b *bitWriter) writeFlag(set bool) {
	if set {
		b.write(1, 1)
		return
	}
	b.write(0, 1)
}

// close pads the last byte with zero bits and returns all bytes. They are valid
// until the next reset.
func (b *bitWriter) close() []byte {
	for ; b.count > 0; b.count -= min(b.count, 8) {
		b.bytes = append(b.bytes, byte(b.pending))
		b.pending >>= 8
	}
	return b.bytes
}
