package vp8l

// token is a pixel or a copy of earlier ones, as the image data of a file has
// them (RFC 9649, section 3.6.2).
type token struct {
	// length is 0 for a literal pixel, 1 for one from the colour cache, and for
	// a copy the number of pixels, at least 2.
	length uint32
	// value is the colour, the index in the cache, or the distance code.
	value uint32
}

const (
	literal = 0
	cached  = 1
)

// pixels returns how many pixels the token stands for.
func (t token) pixels() int { return int(max(t.length, 1)) }

// maxCacheBits bounds our colour caches to 1024 entries. The format has up to
// 2048; larger ones cost more in each group's code than they gave.
const maxCacheBits = 10

// cacheHash spreads colours over the cache (RFC 9649, section 3.6.2.3).
const cacheHash = 0x1e35a7bd

// cacheIndex returns the place of a colour in a cache of 1<<bits entries.
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
		s, _, _ := prefix(t.length)
		histogram[lengthStart+s]++
		s, _, _ = prefix(t.value)
		histogram[distanceStart+s]++
	}
}
