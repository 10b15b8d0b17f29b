package vp8l

// plan says how an image is transformed before it is parsed, in the order of the
// fields, and with how large a cache. The zero value leaves it as it is.
type plan struct {
	indexed   bool // colours become indices into a table
	green     bool // green is subtracted from red and blue
	predicted bool // pixels become their differences from predictions
	crossed   bool // shares of green and red are taken from the other channels
	cacheBits int
}

const (
	// samplePixels is how many pixels plans are tried on, at least, and
	// sampleShare of how many of the rows one is looked at, at most.
	samplePixels = 1 << 13
	sampleShare  = 30
	// bands is how many stretches of rows make up the sample.
	bands = 4
)

// planner holds what is needed to try plans on a part of an image. The zero value
// is ready.
type planner struct {
	sample    []uint32
	tokens    []token
	histogram []uint32
	cache     []uint32
}

// choose returns the best plan found for the image in e.pixels. What a plan needs is
// estimated with one group of codes for all of the sample.
func (e *Encoder) choose(width, height int) plan {
	// Which plans are worth a try depends on those before. Subtracting green first
	// rarely beats both others, but costs next to nothing in the file.
	few := e.palette.collect(e.pixels)
	sample, rows := e.sampleRows(width, height)
	var best plan
	least := e.try(&best, sample, width, rows)
	better := func(p plan) bool {
		bits := e.try(&p, sample, width, rows)
		if bits >= least {
			return false
		}
		best, least = p, bits
		return true
	}
	if few && better(plan{indexed: true}) && e.palette.packing() == 0 {
		better(plan{indexed: true, predicted: true})
	}
	better(plan{green: true})
	better(plan{crossed: true})
	if better(plan{predicted: true}) {
		better(plan{predicted: true, crossed: true})
		better(plan{green: true, predicted: true})
	}
	return best
}

// sampleRows returns rows of the image from several places, as an image of the
// same width, or all of a small one.
func (e *Encoder) sampleRows(width, height int) (sample []uint32, rows int) {
	rows = max((samplePixels+width-1)/width, height/sampleShare)
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

// try returns about how many bits an image needs with a plan, and sets the plan's
// cache.
func (e *Encoder) try(p *plan, pixels []uint32, width, height int) float64 {
	pixels, width = e.transform(p, pixels, width, height)
	e.planner.tokens = e.image.parser.parse(e.planner.tokens[:0], pixels, width, 0)
	return e.planner.chooseCache(p, pixels)
}

// chooseCache sets the plan's cache to the one with which the tokens of an image
// need the fewest bits, and returns these. It goes from large to small, and ends
// when hits are too rare to matter.
func (l *planner) chooseCache(p *plan, pixels []uint32) float64 {
	l.count(pixels, 0)
	least := histogramBits(l.histogram)
	p.cacheBits = 0
	for bits := maxCacheBits; bits > 0; bits -= 2 {
		if hits := l.count(pixels, bits); hits*128 < len(l.tokens) {
			break
		}
		if b := histogramBits(l.histogram); b < least {
			least, p.cacheBits = b, bits
		}
	}
	return least
}

// count sets histogram to the tokens as they are with a cache of so many bits,
// and returns how many literals it spares.
func (l *planner) count(pixels []uint32, bits int) (hits int) {
	l.histogram = resize(l.histogram, alphabetSize(bits))
	clear(l.histogram)
	l.cache = resize(l.cache, 1<<bits)
	clear(l.cache)
	for _, t := range l.tokens {
		n := t.pixels()
		if bits > 0 {
			if index := cacheIndex(pixels[0], bits); t.length == literal && l.cache[index] == t.value {
				t = token{cached, index}
				hits++
			}
			for _, c := range pixels[:n] {
				l.cache[cacheIndex(c, bits)] = c
			}
		}
		t.count(l.histogram)
		pixels = pixels[n:]
	}
	return hits
}

// transform returns an image as the plan has it, with its width, and keeps the
// choices of the transforms. It takes transforms from the plan that turn out to do
// nothing. The result is valid until the next call.
func (e *Encoder) transform(p *plan, pixels []uint32, width, height int) ([]uint32, int) {
	if *p == (plan{cacheBits: p.cacheBits}) {
		return pixels, width
	}
	switch {
	case p.indexed:
		e.first = resize(e.first, len(pixels))
		pixels, width = e.palette.index(e.first, pixels, width, height)
	case p.green || !p.predicted: // what comes next works in place
		e.first = append(e.first[:0], pixels...)
		pixels = e.first
	}
	if p.green {
		subtractGreen(pixels)
	}
	if p.predicted {
		e.predict.choose(pixels, width, height)
		e.second = resize(e.second, len(pixels))
		e.predict.residuals(e.second, pixels, width, height)
		pixels = e.second
	}
	if p.crossed {
		p.crossed = e.cross.choose(pixels)
		if p.crossed {
			e.cross.apply(pixels)
		}
	}
	return pixels, width
}
