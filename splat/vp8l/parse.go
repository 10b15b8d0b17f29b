package vp8l

const (
	// blockPixels is the number of pixels that are parsed together. Blocks limit
	// the memory of the search and let the costs adapt to each part of the image.
	blockPixels = 1 << 17
	// minGreedyLength is the shortest match that costs less than its pixels in
	// most images.
	minGreedyLength = 4
	// maxSplitLength is the longest prefix of a match that is tried as a shorter
	// copy; beyond it, only the whole match is.
	maxSplitLength = 128
	// minSkipLength is the shortest match whose inside is skipped. Without it,
	// the parse of a run would take time quadratic in its length.
	minSkipLength = 256
)

// parser turns pixels into tokens. It parses each block greedily, takes the costs
// of symbols from the result, and finds the tokens with the lowest total cost by
// dynamic programming: libwebp's idea of "trace backwards" (its
// backward_references_cost_enc.c). The zero value is ready to use.
type parser struct {
	matcher     matcher
	planeTable  planeTable
	found       []match
	cacheHits   []int32  // each pixel's index in the colour cache, or -1; empty without a cache
	pathCosts   []uint32 // lowest cost found for the pixels before each position
	pathSteps   []uint16 // length of the last token on the path of that cost
	histogram   []uint32
	costs       []uint32
	lengthCosts []uint32 // cost of each length of a copy, with its extra bits
	cache       []uint32
	// quick limits copies to runs and to the row above.
	quick bool
}

// parse appends the tokens of an image with a colour cache of 1<<cacheBits entries.
// Zero bits mean no cache.
func (p *parser) parse(tokens []token, pixels []uint32, width, cacheBits int) []token {
	if !p.quick {
		p.matcher.reset(len(pixels))
	}
	p.planeTable.set(width)
	p.histogram = resize(p.histogram, alphabetSize(cacheBits))
	p.costs = resize(p.costs, len(p.histogram))
	p.cache = resize(p.cache, 1<<cacheBits)
	clear(p.cache)
	for start := 0; start < len(pixels); start += blockPixels {
		n := min(blockPixels, len(pixels)-start)
		p.found = resize(p.found, n)
		if p.quick {
			findNear(p.found, pixels, start, width)
		} else {
			p.matcher.find(p.found, pixels, start, width)
		}
		p.lookUpCache(pixels[start:start+n], cacheBits)
		tokens = p.parseBlock(tokens, pixels, start, n)
	}
	return tokens
}

// lookUpCache sets cacheHits for a block. One pass is enough for all ways to parse
// the block, because the cache's content depends on the pixels alone.
func (p *parser) lookUpCache(pixels []uint32, cacheBits int) {
	p.cacheHits = p.cacheHits[:0]
	if cacheBits == 0 {
		return
	}
	p.cacheHits = resize(p.cacheHits, len(pixels))
	for i, c := range pixels {
		p.cacheHits[i] = -1
		index := cacheIndex(c, cacheBits)
		if p.cache[index] == c {
			p.cacheHits[i] = int32(index)
		}
		p.cache[index] = c
	}
}

// parseBlock appends the tokens of the block of n pixels from start.
func (p *parser) parseBlock(tokens []token, pixels []uint32, start, n int) []token {
	before := len(tokens)
	last := uint32(0) // length of the token that the block's first literals may become part of
	if before > 0 {
		last = tokens[before-1].length
	}
	tokens, copied := p.parseGreedily(tokens, start, n)
	if p.quick || copied*256 < n {
		return tokens // almost all pixels are literals, whatever their costs
	}
	// Better tokens would give better costs in turn, but a second round gains
	// almost nothing.
	clear(p.histogram)
	for _, t := range tokens[before:] {
		t.count(p.histogram, pixels)
	}
	setHistogramCosts(p.costs, p.histogram)
	p.findCheapest(pixels[start : start+n])
	if before > 0 {
		tokens[before-1].length = last
	}
	return p.appendCheapest(tokens[:before], start, n)
}

// parseGreedily appends the tokens of a block, taking every match of at least
// minGreedyLength pixels. It returns the number of copied pixels.
func (p *parser) parseGreedily(tokens []token, start, n int) (_ []token, copied int) {
	for i := 0; i < n; {
		m := p.found[i]
		length := min(int(m.length), n-i)
		if length < minGreedyLength {
			singles := p.countSingles(i, n)
			tokens = p.appendSingles(tokens, start, i, singles)
			i += singles
			continue
		}
		tokens = append(tokens, token{uint32(length), p.planeTable.code(m.distance)})
		copied += length
		i += length
	}
	return tokens, copied
}

// countSingles returns the number of pixels of a block of n from pixel i up to the next match of
// at least minGreedyLength pixels.
func (p *parser) countSingles(i, n int) int {
	for k, m := range p.found[i+1 : n] {
		if m.length >= minGreedyLength {
			return k + 1
		}
	}
	return n - i
}

// appendSingles appends pixels from i of the block from start: as cache hits where there are
// some, because a hit is almost always shorter than a literal.
func (p *parser) appendSingles(tokens []token, start, i, count int) []token {
	if len(p.cacheHits) == 0 {
		return appendLiterals(tokens, start+i, count)
	}
	for ; count > 0; i, count = i+1, count-1 {
		if hit := p.cacheHits[i]; hit >= 0 {
			tokens = append(tokens, token{cached, uint32(hit)})
		} else {
			tokens = appendLiterals(tokens, start+i, 1)
		}
	}
	return tokens
}

// findCheapest sets pathSteps to the tokens of the cheapest parse. It is a shortest
// path over the positions of the block, whose edges are the possible tokens.
//
// At each position the edges are one pixel, and a copy of any length up to the length of the match,
// which has the same distance. Lengths above maxSplitLength are left out, except the length of the
// whole match.
func (p *parser) findCheapest(pixels []uint32) {
	n := len(pixels)
	p.setLengthCosts(min(maxLength, n))
	p.pathCosts = resize(p.pathCosts, n+1)
	p.pathSteps = resize(p.pathSteps, n+1)
	// Costs do not overflow: a pixel costs at most 72 bits.
	for i := range p.pathCosts {
		p.pathCosts[i] = 1<<32 - 1
	}
	p.pathCosts[0] = 0
	for i := 0; i < n; {
		base := p.pathCosts[i]
		p.recordIfCheaper(i+1, base+p.singleCost(i, pixels[i]), 1)
		m := p.found[i]
		length := min(int(m.length), n-i)
		if length >= 2 {
			symbol, extra, _ := prefixEncode(p.planeTable.code(m.distance))
			base += p.costs[distanceStart+symbol] + uint32(extra)*costScale
			for l := 2; l <= min(length, maxSplitLength); l++ {
				p.recordIfCheaper(i+l, base+p.lengthCosts[l], l)
			}
			p.recordIfCheaper(i+length, base+p.lengthCosts[length], length)
		}
		if length >= minSkipLength {
			i += length
		} else {
			i++
		}
	}
}

// recordIfCheaper records a path to a position, whose last token has step pixels, if it is
// cheaper than the known path.
func (p *parser) recordIfCheaper(to int, cost uint32, step int) {
	if cost < p.pathCosts[to] {
		p.pathCosts[to], p.pathSteps[to] = cost, uint16(step)
	}
}

// setLengthCosts sets lengthCosts for the lengths 1 to maxLength.
func (p *parser) setLengthCosts(maxLength int) {
	p.lengthCosts = resize(p.lengthCosts, maxLength+1)
	for l := 1; l <= maxLength; l++ {
		symbol, extra, _ := prefixEncode(uint32(l))
		p.lengthCosts[l] = p.costs[lengthStart+symbol] + uint32(extra)*costScale
	}
}

// singleCost returns the cost of pixel i of a block as a cache hit or a literal.
func (p *parser) singleCost(i int, c uint32) uint32 {
	if len(p.cacheHits) > 0 && p.cacheHits[i] >= 0 {
		return p.costs[cacheStart+int(p.cacheHits[i])]
	}
	return p.costs[greenStart+c>>8&255] + p.costs[redStart+c>>16&255] +
		p.costs[blueStart+c&255] + p.costs[alphaStart+c>>24]
}

// appendCheapest appends the tokens of the cheapest parse of the block of n pixels from start.
func (p *parser) appendCheapest(tokens []token, start, n int) []token {
	// Steps are stored where their tokens end. Walk back from the end of the block
	// and move each to its token's start.
	for at, step := n, p.pathSteps[n]; at > 0; {
		before := at - int(step)
		step, p.pathSteps[before] = p.pathSteps[before], step
		at = before
	}
	for at := 0; at < n; {
		step := int(p.pathSteps[at])
		if step == 1 {
			tokens = p.appendSingles(tokens, start, at, 1)
		} else {
			tokens = append(tokens, token{uint32(step), p.planeTable.code(p.found[at].distance)})
		}
		at += step
	}
	return tokens
}
