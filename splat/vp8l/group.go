package vp8l

import "iter"

const (
	// maxGroups is the largest number of groups of prefix codes. The format allows
	// 65536, but a few are found quickly, and the codes of many cost what they
	// gain.
	maxGroups = 8
	// maxTiles is the largest number of tiles, which limits the time to assign
	// them and the size of the entropy image.
	maxTiles = 2500
	// groupPixels and groupTokens are the number of pixels and of tokens below
	// which a group cannot save as much as its codes cost.
	groupPixels = 4096
	groupTokens = 512
)

// grouping splits an image into tiles and assigns the tiles to groups, each with
// its own prefix codes (RFC 9649, section 3.7.2.2, which calls the groups meta
// prefix codes). The zero value is ready to use.
type grouping struct {
	tileBits               int        // log2 of a tile's side
	tilesAcross, tilesDown int        // number of tiles in each direction
	groups                 []uint32   // group of each tile
	histograms             [][]uint32 // token counts of each group

	pairCosts []uint64 // see setPairCosts
	tileCosts []uint64 // cost of each tile in each pair of groups
	costs     []uint32
	merged    []uint32
}

// useOneGroup puts all tokens of an image in one group.
func (g *grouping) useOneGroup(tokens []token, width, height, cacheBits int) {
	g.layOutTiles(width, height)
	clear(g.groups)
	g.setHistograms(1, alphabetSize(cacheBits))
	g.countTokens(tokens, width)
}

// split clusters the tiles of an image into groups with one round of k-means: it
// starts with runs of adjacent tiles, assigns each tile to the group whose codes
// encode it best, and counts each group's tokens again. More rounds gain a hundredth
// of a percent. If the initial groups already save nothing, as in noise, the round
// is skipped. In the end it merges the groups that do not save as much as their
// codes cost. At least one group remains.
func (g *grouping) split(tokens []token, width, height, cacheBits int) {
	g.layOutTiles(width, height)
	n := min(maxGroups, width*height/groupPixels, len(tokens)/groupTokens, len(g.groups))
	if n < 2 {
		g.useOneGroup(tokens, width, height, cacheBits)
		return
	}
	// Captures are in Morton order, so neighbours in the image are neighbours in
	// space, and adjacent tiles often have similar statistics.
	for i := range g.groups {
		g.groups[i] = uint32(i * n / len(g.groups))
	}
	g.setHistograms(n, alphabetSize(cacheBits))
	g.countTokens(tokens, width)
	if g.savesBits() {
		g.setPairCosts()
		g.assignTiles(tokens, width)
		g.countTokens(tokens, width)
	}
	g.merge()
}

// savesBits reports whether the groups take fewer bits than one group of all tokens.
func (g *grouping) savesBits() bool {
	g.merged = resize(g.merged, len(g.histograms[0]))
	clear(g.merged)
	bits := 0.0
	for _, h := range g.histograms {
		bits += histogramBits(h)
		for s, n := range h {
			g.merged[s] += n
		}
	}
	return bits < histogramBits(g.merged)
}

// layOutTiles sets the tiles' size and number. Tiles are 16 pixels wide, or larger
// if there were more than maxTiles.
func (g *grouping) layOutTiles(width, height int) {
	g.tileBits = 4
	for tiles(width, g.tileBits)*tiles(height, g.tileBits) > maxTiles {
		g.tileBits++
	}
	g.tilesAcross, g.tilesDown = tiles(width, g.tileBits), tiles(height, g.tileBits)
	g.groups = resize(g.groups, g.tilesAcross*g.tilesDown)
}

// tokensByTile yields each token with the index of the tile where it starts.
func (g *grouping) tokensByTile(tokens []token, width int) iter.Seq2[int, token] {
	return func(yield func(int, token) bool) {
		x, y := 0, 0
		for _, t := range tokens {
			if !yield(y>>g.tileBits*g.tilesAcross+x>>g.tileBits, t) {
				return
			}
			for x += t.pixels(); x >= width; x -= width {
				y++
			}
		}
	}
}

// setHistograms allocates n histograms of size entries. Their values are undefined.
func (g *grouping) setHistograms(n, size int) {
	g.histograms = resize(g.histograms, n)
	for i := range g.histograms {
		g.histograms[i] = resize(g.histograms[i], size)
	}
}

// countTokens sets each group's histogram to its tokens.
func (g *grouping) countTokens(tokens []token, width int) {
	for _, h := range g.histograms {
		clear(h)
	}
	for tile, t := range g.tokensByTile(tokens, width) {
		t.count(g.histograms[g.groups[tile]])
	}
}

// setPairCosts sets pairCosts to the cost of each symbol in each group. The costs
// of two groups share a uint64, one in each half, so that one addition adds both.
func (g *grouping) setPairCosts() {
	size, pairs := len(g.histograms[0]), (len(g.histograms)+1)/2
	g.pairCosts = resize(g.pairCosts, size*pairs)
	clear(g.pairCosts)
	g.costs = resize(g.costs, size)
	for k, h := range g.histograms {
		histogramCosts(g.costs, h)
		for s, c := range g.costs {
			g.pairCosts[s*pairs+k/2] |= uint64(c) << (32 * (k & 1))
		}
	}
}

// assignTiles assigns each tile to the group with the lowest cost for its tokens.
// Extra bits are left out, because they are the same in all groups.
func (g *grouping) assignTiles(tokens []token, width int) {
	pairs := (len(g.histograms) + 1) / 2
	g.tileCosts = resize(g.tileCosts, len(g.groups)*pairs)
	clear(g.tileCosts)
	for tile, t := range g.tokensByTile(tokens, width) {
		sums := g.tileCosts[tile*pairs : (tile+1)*pairs]
		switch c := t.value; t.length {
		case literal:
			g.addLiteral(sums, c)
		case cached:
			g.addSymbol(sums, cacheStart+int(c))
		default:
			s, _, _ := prefixEncode(t.length)
			g.addSymbol(sums, lengthStart+s)
			s, _, _ = prefixEncode(c)
			g.addSymbol(sums, distanceStart+s)
		}
	}
	for tile := range g.groups {
		g.groups[tile] = g.cheapestGroup(g.tileCosts[tile*pairs : (tile+1)*pairs])
	}
}

// cheapestGroup returns the group with the lowest sum.
func (g *grouping) cheapestGroup(sums []uint64) (chosen uint32) {
	minCost := uint32(1<<32 - 1)
	for k := range g.histograms {
		if sum := uint32(sums[k/2] >> (32 * (k & 1))); sum < minCost {
			minCost, chosen = sum, uint32(k)
		}
	}
	return chosen
}

// addSymbol adds the costs of a symbol.
func (g *grouping) addSymbol(sums []uint64, symbol int) {
	prices := g.pairCosts[symbol*len(sums):][:len(sums)]
	for i := range sums {
		sums[i] += prices[i]
	}
}

// addLiteral adds the costs of a pixel's four symbols in one loop. Most tokens are
// pixels, so this is the inner loop of split.
func (g *grouping) addLiteral(sums []uint64, c uint32) {
	n := len(sums)
	red := g.pairCosts[(redStart+int(c>>16&255))*n:][:n]
	green := g.pairCosts[(greenStart+int(c>>8&255))*n:][:n]
	blue := g.pairCosts[(blueStart+int(c&255))*n:][:n]
	alpha := g.pairCosts[(alphaStart+int(c>>24))*n:][:n]
	for i := range sums {
		sums[i] += red[i] + green[i] + blue[i] + alpha[i]
	}
}

// tiles returns the number of tiles with 1<<bits pixels that cover side pixels.
func tiles(side, bits int) int { return (side + 1<<bits - 1) >> bits }
