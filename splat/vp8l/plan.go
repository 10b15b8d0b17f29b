package vp8l

// transformPlan lists the transforms of an image, which are applied in the order of the
// fields, and the size of its colour cache. The zero value has no transforms and
// no cache.
type transformPlan struct {
	indexed       bool // colours become indices into a colour table
	subtractGreen bool // green is subtracted from red and blue
	predicted     bool // pixels become their differences from predictions
	crossColour   bool // a share of green leaves red, and shares of green and red leave blue
	cacheBits     int
}

const (
	// The sample on which plans are tried has at least minSamplePixels pixels,
	// and at least one row for every rowsPerSampleRow rows of the image.
	minSamplePixels  = 1 << 13
	rowsPerSampleRow = 30
	// bands is the number of places from which the sample takes adjacent rows.
	bands = 4
)

// planner holds the buffers for trying plans on a sample of an image. The zero
// value is ready to use.
type planner struct {
	sample    []uint32
	tokens    []token
	histogram []uint32
	cache     []uint32
}

// choosePlan returns the best plan that it finds for the image in e.pixels. It estimates
// the size of each plan's sample with a single group of codes.
//
// The plans in the order in which they are tried, where an indented one depends on the one before
// it:
//
//	indexed, with few colours
//	  indexed, predicted
//	subtractGreen
//	crossColour
//	predicted
//	  predicted, crossColour
//	  subtractGreen, predicted
func (e *Encoder) choosePlan(width, height int) transformPlan {
	// Each trial takes time, so a combination is tried only if its first transform
	// has helped. Subtracting green rarely beats the other two, but its parameters
	// take no room in the file.
	fewColours := e.palette.collectColours(e.pixels)
	sample, rows := e.sampleRows(width, height)
	var best transformPlan
	minBits := e.estimateBits(&best, sample, width, rows)
	improve := func(p transformPlan) bool {
		bits := e.estimateBits(&p, sample, width, rows)
		if bits >= minBits {
			return false
		}
		best, minBits = p, bits
		return true
	}
	if fewColours && improve(transformPlan{indexed: true}) && e.palette.packingBits() == 0 {
		improve(transformPlan{indexed: true, predicted: true})
	}
	improve(transformPlan{subtractGreen: true})
	improve(transformPlan{crossColour: true})
	if improve(transformPlan{predicted: true}) {
		improve(transformPlan{predicted: true, crossColour: true})
		improve(transformPlan{subtractGreen: true, predicted: true})
	}
	return best
}

// sampleRows returns rows from several places of the image as an image of the same
// width. The sample of a small image is the whole image.
func (e *Encoder) sampleRows(width, height int) (sample []uint32, rows int) {
	rows = max((minSamplePixels+width-1)/width, height/rowsPerSampleRow)
	if rows*2 > height {
		return e.pixels, height
	}
	band := (rows + bands - 1) / bands
	sample = e.planner.sample[:0]
	for i := range bands {
		start := (height - band) * (2*i + 1) / (2 * bands)
		sample = append(sample, e.pixels[start*width:(start+band)*width]...)
	}
	e.planner.sample = sample
	return sample, band * bands
}

// estimateBits estimates the size of an image with a plan, and sets the plan's
// cacheBits.
func (e *Encoder) estimateBits(p *transformPlan, pixels []uint32, width, height int) float64 {
	pixels, width = e.transform(p, pixels, width, height)
	e.planner.tokens = e.image.parser.parse(e.planner.tokens[:0], pixels, width, 0)
	return e.planner.chooseCache(p, pixels)
}

// chooseCache sets the plan's cacheBits to the cache with the smallest estimate for
// the tokens, and returns the estimate. It starts with the largest cache and stops
// when hits are too rare to matter.
func (l *planner) chooseCache(p *transformPlan, pixels []uint32) float64 {
	l.count(pixels, 0)
	symbols := countSymbols(l.tokens)
	minBits := histogramBits(l.histogram)
	p.cacheBits = 0
	for bits := maxCacheBits; bits > 0; bits -= 2 {
		if hits := l.count(pixels, bits); hits*128 < symbols {
			break
		}
		if b := histogramBits(l.histogram); b < minBits {
			minBits, p.cacheBits = b, bits
		}
	}
	return minBits
}

// count sets histogram to the tokens' counts with a cache of 1<<bits entries, and
// returns the number of literals that become cache hits.
func (l *planner) count(pixels []uint32, bits int) (hits int) {
	l.histogram = resize(l.histogram, alphabetSize(bits))
	clear(l.histogram)
	l.cache = resize(l.cache, 1<<bits)
	clear(l.cache)
	at := 0
	for _, t := range l.tokens {
		stretch := pixels[at : at+t.pixels()]
		at += len(stretch)
		if bits > 0 && t.isLiteral() {
			hits += l.countCached(stretch, bits)
			continue
		}
		t.count(l.histogram, pixels)
		if bits > 0 {
			for _, c := range stretch {
				l.cache[cacheIndex(c, bits)] = c
			}
		}
	}
	return hits
}

// countCached adds a stretch of literals to histogram and the cache, and returns the number
// of cache hits.
func (l *planner) countCached(stretch []uint32, bits int) (hits int) {
	for i, c := range stretch {
		index := cacheIndex(c, bits)
		if l.cache[index] == c {
			l.histogram[cacheStart+index]++
			hits++
			continue
		}
		l.cache[index] = c
		countLiterals(l.histogram, stretch[i:i+1])
	}
	return hits
}

// transform returns the transformed image and its width, and stores the parameters
// of the transforms in e. It removes a transform without effect from the plan. The
// result is valid until the next call.
func (e *Encoder) transform(p *transformPlan, pixels []uint32, width, height int) ([]uint32, int) {
	if *p == (transformPlan{cacheBits: p.cacheBits}) {
		return pixels, width
	}
	switch {
	case p.indexed:
		e.transformed = resize(e.transformed, len(pixels))
		pixels, width = e.palette.index(e.transformed, pixels, width, height)
	case p.subtractGreen || !p.predicted: // the next transforms work in place
		e.transformed = append(e.transformed[:0], pixels...)
		pixels = e.transformed
	}
	if p.subtractGreen {
		subtractGreen(pixels)
	}
	if p.predicted {
		e.predictor.choose(pixels, width, height)
		e.residuals = resize(e.residuals, len(pixels))
		e.predictor.setResiduals(e.residuals, pixels, width, height)
		pixels = e.residuals
	}
	if p.crossColour {
		p.crossColour = e.multipliers.choose(pixels)
		if p.crossColour {
			e.multipliers.apply(pixels)
		}
	}
	return pixels, width
}
