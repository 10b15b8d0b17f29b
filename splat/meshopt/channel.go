package meshopt

import (
	"encoding/binary"
	"math/bits"
)

// Modes of a channel, the lower four bits of its byte.
const (
	channelBytes  = 0
	channelShorts = 1
	channelXOR    = 2
)

// channel is the rule by which four bytes of each element are computed from the previous element.
// The modes of the four bytes of an element (appendix A): channelBytes has a zigzag delta for each
// byte, channelShorts one for each of two u16, and channelXOR the exclusive or with the previous
// u32, rotated. Version 0 has only channelBytes.
type channel struct {
	mode   byte
	rotate int // the bits by which the encoder rotated deltas to the left; 0 except for channelXOR
}

// newChannel returns the channel of a byte in the tail, and reports whether it is allowed.
func newChannel(b byte) (c channel, ok bool) {
	c = channel{b & 15, int(b >> 4)}
	return c, c.mode <= channelXOR && (c.mode == channelXOR || c.rotate == 0)
}

// restore computes four bytes of each of n elements from four planes of deltas. The elements are a
// stride apart. previous is the element before the first one, from the same four bytes on.
func (c channel) restore(planes, to, previous []byte, n, stride int) {
	before := binary.LittleEndian.Uint32(previous)
	for i := range n {
		delta := uint32(planes[i]) | uint32(planes[maxElements+i])<<8 |
			uint32(planes[2*maxElements+i])<<16 | uint32(planes[3*maxElements+i])<<24
		switch c.mode {
		case channelShorts:
			low, high := uint16(before)+unzigzag16(uint16(delta)), uint16(before>>16)+unzigzag16(uint16(delta>>16))
			before = uint32(low) | uint32(high)<<16
		case channelXOR:
			before ^= bits.RotateLeft32(delta, -c.rotate)
		default:
			before = addBytes(before, delta)
		}
		binary.LittleEndian.PutUint32(to[i*stride:], before)
	}
}

// addBytes adds a zigzag delta to each byte. The sum of each byte wraps around, and does not carry
// into the next byte.
func addBytes(v, delta uint32) (sum uint32) {
	for shift := 0; shift < 32; shift += 8 {
		d := byte(delta >> shift)
		sum |= uint32(byte(v>>shift)+(d>>1^-(d&1))) << shift
	}
	return sum
}

// unzigzag16 returns the difference of a zigzag delta.
func unzigzag16(v uint16) uint16 { return v>>1 ^ -(v & 1) }
