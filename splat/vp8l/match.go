package vp8l

import "math/bits"

// match is a run of pixels that repeats earlier pixels. A length below 2 means no
// match.
type match struct {
	length   uint32
	distance uint32 // in pixels, from 1
}

const (
	// window is the largest distance of a match: the chains hold as many
	// positions as the distance codes can express.
	window = 1 << 20
	// hashBits is log2 of the number of chains. The table fits into a processor's
	// cache, and the chains of noise stay short.
	hashBits = 17
	// niceLength is the length at which the search for a longer match stops, and
	// maxTries the number of positions that one search compares. Together they
	// limit the time of a hostile image.
	niceLength = 256
	maxTries   = 4
	// maxMisses is the number of positions without a match after which the matcher
	// takes the pixels for noise and searches at one position in noiseStep only. A
	// repetition that starts then is found some pixels late.
	maxMisses = 128
	noiseStep = 16
	// After manyMisses the matcher searches at one position in longNoiseStep, a multiple
	// of noiseStep: each search in noise reads memory far apart, and most of a capture's
	// images are noise from end to end.
	manyMisses    = 1 << 12
	longNoiseStep = 8 * noiseStep
)

// matcher finds repetitions with hash chains, as zlib and libwebp do: a chain links
// the positions whose first three pixels have the same hash. A copy of two pixels
// saves bits only from the left or from above, and these two positions are always
// compared, so two pixels need no chain. Call reset before use.
//
// A chain ends at 0, because positions are stored plus 1. Elements of previous are used again after
// a window, so a search stops before the oldest position that can still be right.
type matcher struct {
	heads    []int32 // newest position of each hash, plus 1
	shift    int     // reduces a hash of 64 bits to an index of heads
	previous []int32 // next older position plus 1, by position modulo the window
	misses   int     // positions since the last match
}

// reset empties the chains for an image of n pixels.
func (m *matcher) reset(n int) {
	positionBits := bits.Len(uint(min(n, window) - 1))
	m.shift = 64 - min(positionBits, hashBits)
	m.heads = resize(m.heads, 1<<(64-m.shift))
	clear(m.heads)
	m.previous = resize(m.previous, 1<<positionBits)
	m.misses = 0
}

// find sets found[i] to the longest match at position start+i. Calls must cover
// the image in order, without gaps. Matches may reach beyond the last position of
// found, but not beyond pixels.
func (m *matcher) find(found []match, pixels []uint32, start, width int) {
	var last match
	for i := range found {
		at := start + i
		if m.misses > maxMisses && m.skips(pixels, at) {
			found[i] = match{}
			continue
		}
		// The previous position's match continues here, one pixel shorter.
		best := match{last.length - min(last.length, 1), last.distance}
		chain := uint64(0) // the last two pixels have no hash; chain 0 is as good as any
		if at+3 <= len(pixels) {
			chain = hash([3]uint32(pixels[at:])) >> m.shift
		}
		if best.length < niceLength {
			best = m.search(pixels, at, width, int(m.heads[chain]), best)
		}
		m.previous[at&(len(m.previous)-1)] = m.heads[chain]
		m.heads[chain] = int32(at + 1)
		found[i], last = best, best
		m.misses++
		if best.length >= 2 {
			m.misses = 0
		}
	}
}

// findNear sets found[i] to the longer of two matches at position start+i: the run of its left
// neighbour's colour, or the copy of the row above. Neither reaches beyond found. It needs
// no search: each match is the next position's, one pixel longer.
func findNear(found []match, pixels []uint32, start, width int) {
	left, above := uint32(0), uint32(0)
	for i := len(found) - 1; i >= 0; i-- {
		at := start + i
		c := pixels[at]
		if at >= 1 && pixels[at-1] == c {
			left = min(left+1, maxLength)
		} else {
			left = 0
		}
		if at >= width && pixels[at-width] == c {
			above = min(above+1, maxLength)
		} else {
			above = 0
		}
		if left >= above {
			found[i] = match{left, 1}
		} else {
			found[i] = match{above, uint32(width)}
		}
	}
}

// skips reports whether to skip the search at a position in noise. The positions
// to search are chosen by their hash, not by counting: a repetition has the same
// hashes as its original, so the searched positions are the ones in the chains.
// Runs are searched too.
func (m *matcher) skips(pixels []uint32, at int) bool {
	if at+3 > len(pixels) || pixels[at] == pixels[at-1] {
		return false
	}
	chain := hash([3]uint32(pixels[at:])) >> m.shift
	if m.misses > manyMisses {
		return chain%longNoiseStep != 0
	}
	return chain%noiseStep != 0
}

// search returns the longest match at a position, or best if none is longer. It
// tries the left and upper neighbours first, because their distance codes are the
// shortest.
func (m *matcher) search(pixels []uint32, at, width, head int, best match) match {
	limit := min(maxLength, len(pixels)-at)
	best.length = min(best.length, uint32(limit))
	if at >= 1 {
		best = longerMatch(pixels, at, at-1, limit, best)
	}
	if at >= width {
		best = longerMatch(pixels, at, at-width, limit, best)
	}
	oldest := max(0, at-min(maxDistance, len(m.previous)))
	// Positions before oldest may have been overwritten in previous. Comparing the
	// one pixel that would make the match longer rules out most positions.
	for candidate, tries := head-1, maxTries; candidate >= oldest && tries > 0 && best.length < niceLength; tries-- {
		if n := int(best.length); n < limit && pixels[candidate+n] == pixels[at+n] {
			best = longerMatch(pixels, at, candidate, limit, best)
		}
		candidate = int(m.previous[candidate&(len(m.previous)-1)]) - 1
	}
	return best
}

// longerMatch compares up to limit pixels at a position with the pixels at an
// earlier candidate, and returns the match if it is longer than best, else best. The
// two may overlap, which encodes a run.
func longerMatch(pixels []uint32, at, candidate, limit int, best match) match {
	length := int(best.length)
	if length >= limit || pixels[candidate+length] != pixels[at+length] {
		return best
	}
	// With equal lengths the compiler omits the bounds checks in the loop.
	here, there := pixels[at:at+limit], pixels[candidate:]
	there = there[:len(here)]
	n := 0
	for n < len(here) && here[n] == there[n] {
		n++
	}
	if n <= length || n < 2 {
		return best
	}
	return match{uint32(n), uint32(at - candidate)}
}

// hash returns a multiplicative hash of three pixels. Its upper bits are the best
// mixed, so callers shift right. The first factor is 2^64 divided by the golden ratio (Knuth, The
// Art of Computer Programming, volume 3, section 6.4), and the second is a prime of xxHash.
func hash(p [3]uint32) uint64 {
	return (uint64(p[0])<<32|uint64(p[1]))*0x9e3779b97f4a7c15 + uint64(p[2])*0x85ebca77c2b2ae63
}
