package vp8l

// imageWriter writes the entropy-coded images of a file: the picture and the
// small ones that the transforms and the groups need. The zero value is ready.
type imageWriter struct {
	coder    coder
	parser   parser
	grouping grouping
	codes    []codeGroup
	numbers  []uint32 // the pixels of the entropy image
	small    []token  // of an image that is not the picture
	one      grouping // of such an image: a single group
}

// writeSmall writes an image in a role other than the picture's (RFC 9649, section
// 3.6.1), with one group of codes and no colour cache.
func (w *imageWriter) writeSmall(b *bitWriter, pixels []uint32, width, height int) {
	w.small = w.parser.parse(w.small[:0], pixels, width, 0)
	w.one.unite(w.small, width, height, 0)
	b.flag(false) // no colour cache
	w.writeData(b, &w.one, w.small, width, 0)
}

// writePicture writes the picture's tokens, with as many groups as pay (RFC 9649,
// section 3.7.2.2). Width and height are those after the transforms.
func (w *imageWriter) writePicture(b *bitWriter, tokens []token, width, height, cacheBits int) {
	b.flag(cacheBits > 0)
	if cacheBits > 0 {
		b.write(uint32(cacheBits), 4)
	}
	g := &w.grouping
	g.split(tokens, width, height, cacheBits)
	b.flag(len(g.histograms) > 1)
	if len(g.histograms) > 1 {
		b.write(uint32(g.bits-2), 3)
		w.numbers = resize(w.numbers, len(g.group))
		for i, k := range g.group {
			w.numbers[i] = k << 8 // in green, and red if it were above 255
		}
		w.writeSmall(b, w.numbers, g.across, g.down)
	}
	w.writeData(b, g, tokens, width, cacheBits)
}

// writeData writes the codes of all groups, then the tokens, each in the codes of
// its tile's group. The codes of one image are the memory of the next.
func (w *imageWriter) writeData(b *bitWriter, g *grouping, tokens []token, width, cacheBits int) {
	for len(w.codes) < len(g.histograms) {
		w.codes = append(w.codes, codeGroup{})
	}
	size := alphabetSize(cacheBits)
	for k, h := range g.histograms {
		for i, c := range channels(size) {
			w.coder.build(&w.codes[k][i], h[c[0]:c[1]], maxCodeLength)
			w.coder.write(b, &w.codes[k][i])
		}
	}
	for tile, t := range g.tiled(tokens, width) {
		w.codes[g.group[tile]].write(b, t)
	}
}
