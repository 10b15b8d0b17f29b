package vp8l

// token is a pixel or a copy of earlier pixels, the unit of a file's image data
// (RFC 9649, section 3.6.2).
type token struct {
	// length is literal, cached, or the number of pixels that are copied, at
	// least 2.
	length uint32
	// value is the colour, the index in the colour cache, or the distance code.
	value uint32
}

const (
	literal = 0
	cached  = 1
)

// pixels returns how many pixels the token stands for.
func (t token) pixels() int { return int(max(t.length, 1)) }

// maxCacheBits limits our colour caches to 1024 entries. The format allows 2048,
// but the larger caches made files larger: each entry lengthens every group's code.
const maxCacheBits = 10

// cacheHash is the multiplier of the colour cache's hash, which the format fixes
// (RFC 9649, section 3.6.2.3).
const cacheHash = 0x1e35a7bd

// cacheIndex returns the index of a colour in a cache of 1<<bits entries.
func cacheIndex(colour uint32, bits int) uint32 { return colour * cacheHash >> (32 - bits) }

// count adds a token to a histogram.
func (t token) count(histogram []uint32) {
	switch t.length {
	case literal:
		histogram[greenStart+t.value>>8&255]++
		histogram[redStart+t.value>>16&255]++
		histogram[blueStart+t.value&255]++
		histogram[alphaStart+t.value>>24]++
	case cached:
		histogram[cacheStart+t.value]++
	default:
		s, _, _ := prefixEncode(t.length)
		histogram[lengthStart+s]++
		s, _, _ = prefixEncode(t.value)
		histogram[distanceStart+s]++
	}
}
