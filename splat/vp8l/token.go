package vp8l

// token is a stretch of literal pixels, a hit in the colour cache, or a copy of earlier
// pixels (RFC 9649, section 3.6.2).
//
// The three forms:
//
//	             length             value
//	literals     literal | count    index of the first pixel
//	cache hit    cached             index in the cache
//	copy         2 to maxLength     distance code
type token struct {
	// length is cached, the number of pixels that are copied, at least 2, or literal plus
	// the number of pixels in the stretch.
	length uint32
	// value is the index of the first literal pixel, the index in the colour cache, or the
	// distance code.
	value uint32
}

const (
	cached = 1
	// literal marks literals. Most textures are noise, in which a token for each pixel
	// would take twice the memory of the image.
	literal = 1 << 31
)

// pixels returns how many pixels the token stands for.
func (t token) pixels() int { return int(t.length &^ literal) }

// isLiteral reports whether the token is a stretch of literals.
func (t token) isLiteral() bool { return t.length&literal != 0 }

// appendLiterals appends n pixels from an index to the tokens before them. They become part of
// a stretch of literals that ends there.
func appendLiterals(tokens []token, index, n int) []token {
	if last := len(tokens) - 1; last >= 0 && tokens[last].isLiteral() {
		tokens[last].length += uint32(n)
		return tokens
	}
	return append(tokens, token{literal | uint32(n), uint32(index)})
}

// countSymbols returns how many literals, cache hits and copies the tokens stand for.
func countSymbols(tokens []token) (n int) {
	for _, t := range tokens {
		if t.isLiteral() {
			n += t.pixels()
		} else {
			n++
		}
	}
	return n
}

// maxCacheBits limits our colour caches to 1024 entries. The format allows 2048,
// but the larger caches made files larger: each entry lengthens every group's code.
const maxCacheBits = 10

// cacheHash is the multiplier of the colour cache's hash, which the format fixes
// (RFC 9649, section 3.6.2.3).
const cacheHash = 0x1e35a7bd

// cacheIndex returns the index of a colour in a cache of 1<<bits entries.
func cacheIndex(colour uint32, bits int) uint32 { return colour * cacheHash >> (32 - bits) }

// count adds a token to a histogram of an image with these pixels.
func (t token) count(histogram, pixels []uint32) {
	switch {
	case t.isLiteral():
		countLiterals(histogram, pixels[t.value:][:t.pixels()])
	case t.length == cached:
		histogram[cacheStart+t.value]++
	default:
		s, _, _ := prefixEncode(t.length)
		histogram[lengthStart+s]++
		s, _, _ = prefixEncode(t.value)
		histogram[distanceStart+s]++
	}
}

func countLiterals(histogram, pixels []uint32) {
	// With arrays the compiler omits the bounds checks in the loop, because a byte is always
	// less than 256.
	red, blue := (*[256]uint32)(histogram[redStart:]), (*[256]uint32)(histogram[blueStart:])
	green, alpha := (*[256]uint32)(histogram[greenStart:]), (*[256]uint32)(histogram[alphaStart:])
	for _, c := range pixels {
		green[byte(c>>8)]++
		red[byte(c>>16)]++
		blue[byte(c)]++
		alpha[c>>24]++
	}
}
