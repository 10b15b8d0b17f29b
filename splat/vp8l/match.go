package vp8l

import "math/bits"

// match says that the pixels at a place repeat earlier ones. A length below 2 is
// none.
type match struct {
	length   uint32
	distance uint32 // in pixels, from 1
}

const (
	// window is how far back a match may lie: what distance codes can say, and
	// what the chains remember.
	window = 1 << 20
	// hashBits is the size of the table of chains, as an exponent. It still fits
	// into a processor's cache, and chains of noise stay short.
	hashBits = 17
	// niceLength is the length of a match that is not improved upon, and maxTries
	// how many places are compared for one. Together they bound the time that a
	// hostile image takes.
	niceLength = 256
	maxTries   = 4
	// patience is how many places may go without a match until only one of sparse
	// is looked at: noise has none to find. Whatever begins to repeat then is found
	// some pixels late.
	patience = 128
	sparse   = 16
)

// matcher finds repeats with chains of places whose three first pixels have the
// same hash. Two pixels pay as a copy from the left or above at best, and these
// places are always compared. The zero value is made ready by reset.
type matcher struct {
	heads    []int32 // last place of each hash, plus one
	shift    int     // of a hash of 64 bits, to index heads
	previous []int32 // the place before, plus one, by place modulo the window
	idle     int     // places since the last match
}

// reset forgets all places, for an image of n pixels.
func (m *matcher) reset(n int) {
	places := bits.Len(uint(min(n, window) - 1))
	m.shift = 64 - min(places, hashBits)
	m.heads = resize(m.heads, 1<<(64-m.shift))
	clear(m.heads)
	m.previous = resize(m.previous, 1<<places)
	m.idle = 0
}

// find sets found to the longest match at each of the places from start on. It
// is called for one stretch of pixels after the other. Matches may reach beyond
// the stretch, but not beyond pixels.
func (m *matcher) find(found []match, pixels []uint32, start, width int) {
	var last match
	for i := range found {
		at := start + i
		if m.idle > patience && m.passes(pixels, at) {
			found[i] = match{}
			continue
		}
		// A match goes on at the next place, one shorter.
		best := match{last.length - min(last.length, 1), last.distance}
		chain := uint64(0) // the last pixels belong to none of their own
		if at+3 <= len(pixels) {
			chain = hash([3]uint32(pixels[at:])) >> m.shift
		}
		if best.length < niceLength {
			best = m.search(pixels, at, width, int(m.heads[chain]), best)
		}
		m.previous[at&(len(m.previous)-1)] = m.heads[chain]
		m.heads[chain] = int32(at + 1)
		found[i], last = best, best
		m.idle++
		if best.length >= 2 {
			m.idle = 0
		}
	}
}

// passes reports whether a place in noise is not worth a look. Those that are
// have a hash which few have, the same in what repeats as in the original, or
// begin a run.
func (m *matcher) passes(pixels []uint32, at int) bool {
	return at+3 <= len(pixels) && pixels[at] != pixels[at-1] && hash([3]uint32(pixels[at:]))>>m.shift%sparse != 0
}

// search returns the longest match at a place that is longer than best, or best.
// The left and the upper neighbour come first: they are the cheapest to say.
func (m *matcher) search(pixels []uint32, at, width, head int, best match) match {
	limit := min(maxLength, len(pixels)-at)
	best.length = min(best.length, uint32(limit))
	if at >= 1 {
		best = longer(pixels, at, at-1, limit, best)
	}
	if at >= width {
		best = longer(pixels, at, at-width, limit, best)
	}
	oldest := max(0, at-min(maxDistance, len(m.previous)))
	// Older places may have been overwritten in previous. The pixel that would make
	// the match longer rules most places out.
	for place, tries := head-1, maxTries; place >= oldest && tries > 0 && best.length < niceLength; tries-- {
		if n := int(best.length); n < limit && pixels[place+n] == pixels[at+n] {
			best = longer(pixels, at, place, limit, best)
		}
		place = int(m.previous[place&(len(m.previous)-1)]) - 1
	}
	return best
}

// longer compares the pixels at a place with those at an earlier one, limit at
// most, and returns the match if it is longer than best, else best. The two may
// overlap: that is how runs are said.
func longer(pixels []uint32, at, place, limit int, best match) match {
	length := int(best.length)
	if length >= limit || pixels[place+length] != pixels[at+length] {
		return best
	}
	here, there := pixels[at:at+limit], pixels[place:]
	there = there[:len(here)]
	n := 0
	for n < len(here) && here[n] == there[n] {
		n++
	}
	if n <= length || n < 2 {
		return best
	}
	return match{uint32(n), uint32(at - place)}
}

// hash returns a hash of three pixels whose upper bits are the best.
func hash(p [3]uint32) uint64 {
	return (uint64(p[0])<<32|uint64(p[1]))*0x9e3779b97f4a7c15 + uint64(p[2])*0x85ebca77c2b2ae63
}
