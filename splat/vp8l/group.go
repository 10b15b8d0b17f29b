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

	pairCosts []groupCosts // cost of each symbol
	tileCosts []groupCosts // cost of each tile
	costs     []uint32
	merged    []uint32
}

type tokenImage struct {
	tokens        []token
	pixels        []uint32 // the transformed image, which has the literals
	width, height int      // of the transformed image
	cacheBits     int
}

// groupCosts is a cost in each group. Two groups share a uint64, one in each half, so that
// one addition adds both.
type groupCosts [maxGroups / 2]uint64

// addTimes adds other costs a number of times.
func (c *groupCosts) addTimes(other *groupCosts, n uint64) {
	for i := range c {
		c[i] += other[i] * n
	}
}

func (c *groupCosts) cost(group int) uint32 { return uint32(c[group/2] >> (32 * (group & 1))) }

// useOneGroup puts all tokens of an image in one group.
func (g *grouping) useOneGroup(image tokenImage) {
	g.layOutTiles(image.width, image.height)
	clear(g.groups)
	g.setHistograms(1, alphabetSize(image.cacheBits))
	clear(g.histograms[0])
	for _, t := range image.tokens {
		t.count(g.histograms[0], image.pixels)
	}
}

// split clusters the tiles of an image into groups with one round of k-means: it
// starts with runs of adjacent tiles, assigns each tile to the group whose codes
// encode it best, and counts each group's tokens again. More rounds gain a hundredth
// of a percent. If the initial groups already save nothing, as in noise, the round
// is skipped. In the end it merges the groups that do not save as much as their
// codes cost. At least one group remains.
func (g *grouping) split(image tokenImage) {
	g.layOutTiles(image.width, image.height)
	n := min(maxGroups, image.width*image.height/groupPixels, countSymbols(image.tokens)/groupTokens, len(g.groups))
	if n < 2 {
		g.useOneGroup(image)
		return
	}
	// Captures are in Morton order, so neighbours in the image are neighbours in
	// space, and adjacent tiles often have similar statistics.
	for i := range g.groups {
		g.groups[i] = uint32(i * n / len(g.groups))
	}
	g.setHistograms(n, alphabetSize(image.cacheBits))
	g.countTokens(image)
	if g.savesBits() {
		g.setPairCosts()
		g.assignTiles(image)
		g.countTokens(image)
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
	for tileCount(width, g.tileBits)*tileCount(height, g.tileBits) > maxTiles {
		g.tileBits++
	}
	g.tilesAcross, g.tilesDown = tileCount(width, g.tileBits), tileCount(height, g.tileBits)
	g.groups = resize(g.groups, g.tilesAcross*g.tilesDown)
}

// tokensByTile yields each token with the index of the tile where it starts. It divides
// stretches of literals at the borders of tiles and at the ends of rows.
//
// A copy or a hit counts in the tile where it starts, as in a decoder, which reads the codes of a
// tile at the start of each token.
func (g *grouping) tokensByTile(image tokenImage) iter.Seq2[int, token] {
	return func(yield func(int, token) bool) {
		x, y := 0, 0
		for _, t := range image.tokens {
			for rest := t.pixels(); rest > 0; {
				part, n := t, rest
				if t.isLiteral() {
					n = min(rest, 1<<g.tileBits-x&(1<<g.tileBits-1), image.width-x)
					part = token{literal | uint32(n), t.value + uint32(t.pixels()-rest)}
				}
				if !yield(y>>g.tileBits*g.tilesAcross+x>>g.tileBits, part) {
					return
				}
				rest -= n
				for x += n; x >= image.width; x -= image.width {
					y++
				}
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
func (g *grouping) countTokens(image tokenImage) {
	for _, h := range g.histograms {
		clear(h)
	}
	for tile, t := range g.tokensByTile(image) {
		t.count(g.histograms[g.groups[tile]], image.pixels)
	}
}

// setPairCosts sets pairCosts from the histograms.
//
// Group k is in half k mod 2 of pair k/2. Sums of costs do not reach 32 bits, because a tile has
// too few tokens, so that no half runs into the other.
func (g *grouping) setPairCosts() {
	size := len(g.histograms[0])
	g.pairCosts = resize(g.pairCosts, size)
	clear(g.pairCosts)
	g.costs = resize(g.costs, size)
	for k, h := range g.histograms {
		setHistogramCosts(g.costs, h)
		for s, c := range g.costs {
			g.pairCosts[s][k/2] |= uint64(c) << (32 * (k & 1))
		}
	}
}

// assignTiles assigns each tile to the group with the lowest cost for its tokens.
// Extra bits are left out, because they are the same in all groups.
func (g *grouping) assignTiles(image tokenImage) {
	g.tileCosts = resize(g.tileCosts, len(g.groups))
	clear(g.tileCosts)
	for tile, t := range g.tokensByTile(image) {
		sums := &g.tileCosts[tile]
		switch {
		case t.isLiteral():
			g.addLiterals(sums, image.pixels[t.value:][:t.pixels()])
		case t.length == cached:
			sums.addTimes(&g.pairCosts[cacheStart+int(t.value)], 1)
		default:
			s, _, _ := prefixEncode(t.length)
			sums.addTimes(&g.pairCosts[lengthStart+s], 1)
			s, _, _ = prefixEncode(t.value)
			sums.addTimes(&g.pairCosts[distanceStart+s], 1)
		}
	}
	for tile := range g.groups {
		g.groups[tile] = g.cheapestGroup(&g.tileCosts[tile])
	}
}

// cheapestGroup returns the group with the lowest sum.
func (g *grouping) cheapestGroup(sums *groupCosts) (chosen uint32) {
	minCost := uint32(1<<32 - 1)
	for k := range g.histograms {
		if sum := sums.cost(k); sum < minCost {
			minCost, chosen = sum, uint32(k)
		}
	}
	return chosen
}

// literalStep is the step at which pixels of long stretches of literals represent their
// neighbours when tiles are assigned. All pixels would save a few hundredths of a percent
// of the file, and take a fifth of its time.
const literalStep = 4

// addLiterals adds the costs of literal pixels in each group. For many pixels it estimates them
// from every literalStep-th one.
func (g *grouping) addLiterals(sums *groupCosts, pixels []uint32) {
	red, blue := (*[256]groupCosts)(g.pairCosts[redStart:]), (*[256]groupCosts)(g.pairCosts[blueStart:])
	green, alpha := (*[256]groupCosts)(g.pairCosts[greenStart:]), (*[256]groupCosts)(g.pairCosts[alphaStart:])
	step := 1
	if len(pixels) >= 4*literalStep {
		step = literalStep
	}
	var sum groupCosts
	for i := 0; i < len(pixels); i += step {
		c := pixels[i]
		r, gr, b, a := &red[byte(c>>16)], &green[byte(c>>8)], &blue[byte(c)], &alpha[c>>24]
		for k := range sum {
			sum[k] += r[k] + gr[k] + b[k] + a[k]
		}
	}
	sums.addTimes(&sum, uint64(step))
}

// tileCount returns the number of tiles with 1<<bits pixels that cover side pixels.
func tileCount(side, bits int) int { return (side + 1<<bits - 1) >> bits }
