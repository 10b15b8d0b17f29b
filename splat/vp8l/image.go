package vp8l

// imageWriter writes the images of a file: the spatially coded image, which holds
// the picture, and the entropy-coded images, which hold the parameters of the
// transforms and the groups of the tiles (RFC 9649, section 3.6.1). The zero value
// is ready to use.
type imageWriter struct {
	coder         coder
	parser        parser
	grouping      grouping
	codes         []codeGroup
	entropyImage  []uint32 // pixels that assign a group to each tile
	entropyTokens []token  // buffer of writeEntropyCoded
	singleGroup   grouping // grouping of writeEntropyCoded
}

// writeEntropyCoded writes an image that is not the picture. It has one group of
// prefix codes and no colour cache: the format forbids more groups, and these
// images are too small for a cache.
func (w *imageWriter) writeEntropyCoded(b *bitWriter, pixels []uint32, width, height int) {
	w.entropyTokens = w.parser.parse(w.entropyTokens[:0], pixels, width, 0)
	image := tokenImage{w.entropyTokens, pixels, width, height, 0}
	w.singleGroup.useOneGroup(image)
	b.writeFlag(false) // no colour cache
	w.writeData(b, &w.singleGroup, image)
}

// writeSpatiallyCoded writes the picture's tokens with as many groups of prefix
// codes as make the file smaller (RFC 9649, section 3.7.2.2).
//
//	1 bit     whether there is a colour cache
//	4 bits    with a cache: log2 of its size
//	1 bit     whether there are several groups
//	3 bits    with groups: log2 of a tile's side, minus 2
//	…         with groups: the image of the groups
//	…         the codes of all groups, and the tokens
func (w *imageWriter) writeSpatiallyCoded(b *bitWriter, image tokenImage) {
	b.writeFlag(image.cacheBits > 0)
	if image.cacheBits > 0 {
		b.write(uint32(image.cacheBits), 4)
	}
	g := &w.grouping
	g.split(image)
	b.writeFlag(len(g.histograms) > 1)
	if len(g.histograms) > 1 {
		b.write(uint32(g.tileBits-2), 3)
		w.entropyImage = resize(w.entropyImage, len(g.groups))
		for i, k := range g.groups {
			w.entropyImage[i] = k << 8 // the format stores the group in red and green
		}
		w.writeEntropyCoded(b, w.entropyImage, g.tilesAcross, g.tilesDown)
	}
	w.writeData(b, g, image)
}

// writeData writes the prefix codes of all groups, then each token with the codes
// of its tile's group. It reuses the memory of the previous image's codes.
//
// Each group has five codes, in the order of alphabets. A decoder knows the number of groups by the
// largest one in their image.
func (w *imageWriter) writeData(b *bitWriter, g *grouping, image tokenImage) {
	for len(w.codes) < len(g.histograms) {
		w.codes = append(w.codes, codeGroup{})
	}
	size := alphabetSize(image.cacheBits)
	for k, h := range g.histograms {
		for i, c := range alphabets(size) {
			w.coder.build(&w.codes[k].codes[i], h[c[0]:c[1]], maxCodeLength)
			w.coder.write(b, &w.codes[k].codes[i])
		}
		w.codes[k].setLiterals()
	}
	for tile, t := range g.tokensByTile(image) {
		if c := &w.codes[g.groups[tile]]; t.isLiteral() {
			c.writeLiterals(b, image.pixels[t.value:][:t.pixels()])
		} else {
			c.writeToken(b, t)
		}
	}
}
