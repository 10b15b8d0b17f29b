package vp8l

const (
	// blockPixels is how many pixels are parsed at a time, which bounds the
	// memory of the search and lets the costs follow the image.
	blockPixels = 1 << 17
	// worthwhile is the length of a match that is shorter to say than its pixels
	// in most images.
	worthwhile = 4
	// shortLength is the length up to which every part of a match is tried.
	shortLength = 128
	// longLength is the length from which a match is taken as it is. Without it the
	// parse of runs would take the square of their length.
	longLength = 256
)

// parser turns pixels into tokens: it finds the cheapest way to say each block of
// them by dynamic programming over the costs of symbols, which come from a first
// such parse. The zero value is ready.
type parser struct {
	matcher   matcher
	planes    planes
	found     []match
	hits      []int32  // index in the colour cache of each pixel of a block, or -1
	best      []uint32 // cost of the pixels before each of a block
	steps     []uint16 // length of the token that leads there
	histogram []uint32
	costs     []uint32
	lengths   []uint32 // cost of a copy's length, with its extra bits
	cache     []uint32
}

// parse appends to tokens those of an image, with a colour cache of 1<<cacheBits
// entries or, for 0 bits, none.
func (p *parser) parse(tokens []token, pixels []uint32, width, cacheBits int) []token {
	p.matcher.reset(len(pixels))
	p.planes.set(width)
	p.histogram = resize(p.histogram, alphabetSize(cacheBits))
	p.costs = resize(p.costs, len(p.histogram))
	p.cache = resize(p.cache, 1<<cacheBits)
	clear(p.cache)
	for start := 0; start < len(pixels); start += blockPixels {
		n := min(blockPixels, len(pixels)-start)
		p.found = resize(p.found, n)
		p.matcher.find(p.found, pixels, start, width)
		p.lookUp(pixels[start:start+n], cacheBits)
		tokens = p.block(tokens, pixels[start:start+n])
	}
	return tokens
}

// lookUp sets hits for a block. What the cache holds depends on the pixels alone,
// not on how they are said.
func (p *parser) lookUp(pixels []uint32, cacheBits int) {
	p.hits = resize(p.hits, len(pixels))
	for i, c := range pixels {
		p.hits[i] = -1
		if cacheBits == 0 {
			continue
		}
		index := cacheIndex(c, cacheBits)
		if p.cache[index] == c {
			p.hits[i] = int32(index)
		}
		p.cache[index] = c
	}
}

// block appends the tokens of one block.
func (p *parser) block(tokens []token, pixels []uint32) []token {
	first := len(tokens)
	tokens, copied := p.greedy(tokens, pixels)
	if copied*256 < len(pixels) {
		return tokens // there is next to nothing to choose
	}
	// The costs come from the tokens and the tokens from the costs, but a second
	// round gains next to nothing.
	clear(p.histogram)
	for _, t := range tokens[first:] {
		t.count(p.histogram)
	}
	allCosts(p.costs, p.histogram)
	p.cheapest(pixels)
	return p.collect(tokens[:first], pixels)
}

// greedy appends the tokens of a block with every match taken that is not very
// short, and returns how many pixels these copy.
func (p *parser) greedy(tokens []token, pixels []uint32) (_ []token, copied int) {
	for i := 0; i < len(pixels); {
		m := p.found[i]
		length := min(int(m.length), len(pixels)-i)
		if length < worthwhile {
			tokens = append(tokens, p.single(i, pixels[i]))
			i++
			continue
		}
		tokens = append(tokens, token{uint32(length), p.planes.code(m.distance)})
		copied += length
		i += length
	}
	return tokens, copied
}

// single returns the token for one pixel of the block: a hit in the cache is
// shorter than a literal almost always.
func (p *parser) single(i int, colour uint32) token {
	if hit := p.hits[i]; hit >= 0 {
		return token{cached, uint32(hit)}
	}
	return token{literal, colour}
}

// cheapest sets the step with which the cheapest parse of the block arrives at
// each place.
func (p *parser) cheapest(pixels []uint32) {
	n := len(pixels)
	p.priceLengths(min(maxLength, n))
	p.best = resize(p.best, n+1)
	p.steps = resize(p.steps, n+1)
	// A block's costs stay far below 1<<32: at most 72 bits a pixel.
	for i := range p.best {
		p.best[i] = 1<<32 - 1
	}
	p.best[0] = 0
	for i := 0; i < n; {
		base := p.best[i]
		p.relax(i+1, base+p.priceSingle(i, pixels[i]), 1)
		m := p.found[i]
		length := min(int(m.length), n-i)
		if length >= 2 {
			symbol, extra, _ := prefix(p.planes.code(m.distance))
			base += p.costs[distanceStart+symbol] + uint32(extra)*costScale
			for l := 2; l <= min(length, shortLength); l++ {
				p.relax(i+l, base+p.lengths[l], l)
			}
			p.relax(i+length, base+p.lengths[length], length)
		}
		if length >= longLength {
			i += length
		} else {
			i++
		}
	}
}

// relax notes that a token of so many pixels leads to a place at this cost.
func (p *parser) relax(to int, cost uint32, step int) {
	if cost < p.best[to] {
		p.best[to], p.steps[to] = cost, uint16(step)
	}
}

// priceLengths sets lengths, up to the longest, from the costs.
func (p *parser) priceLengths(longest int) {
	p.lengths = resize(p.lengths, longest+1)
	for l := 1; l <= longest; l++ {
		symbol, extra, _ := prefix(uint32(l))
		p.lengths[l] = p.costs[lengthStart+symbol] + uint32(extra)*costScale
	}
}

// priceSingle returns the cost of one pixel that is not copied.
func (p *parser) priceSingle(i int, c uint32) uint32 {
	if hit := p.hits[i]; hit >= 0 {
		return p.costs[cacheStart+int(hit)]
	}
	return p.costs[greenStart+c>>8&255] + p.costs[redStart+c>>16&255] +
		p.costs[blueStart+c&255] + p.costs[alphaStart+c>>24]
}

// collect appends the tokens of the cheapest parse.
func (p *parser) collect(tokens []token, pixels []uint32) []token {
	// The steps lead backwards: each is moved to where it starts.
	n := len(pixels)
	for at, step := n, p.steps[n]; at > 0; {
		before := at - int(step)
		step, p.steps[before] = p.steps[before], step
		at = before
	}
	for at := 0; at < n; {
		step := int(p.steps[at])
		if step == 1 {
			tokens = append(tokens, p.single(at, pixels[at]))
		} else {
			tokens = append(tokens, token{uint32(step), p.planes.code(p.found[at].distance)})
		}
		at += step
	}
	return tokens
}
