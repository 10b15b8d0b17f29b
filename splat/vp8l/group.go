package vp8l

import "iter"

const (
	// maxGroups is how many groups of prefix codes an image starts with.
	maxGroups = 8
	// maxTiles bounds the tiles of the entropy image. Decoders take no more than
	// 2600 groups; ours are far fewer.
	maxTiles = 2500
	// groupPixels is how many pixels pay for the codes of a group, at least, and
	// groupTokens how many tokens.
	groupPixels = 4096
	groupTokens = 512
)

// grouping splits an image into tiles and the tiles into groups with prefix codes
// of their own (RFC 9649, section 3.7.2.2). The zero value is ready.
type grouping struct {
	bits         int        // size of a tile, as the exponent of its side
	across, down int        // tiles
	group        []uint32   // of each tile, its number
	histograms   [][]uint32 // of each group

	prices []uint64 // of each symbol in each pair of groups, see price
	sums   []uint64 // of each tile in each pair of groups
	costs  []uint32
	merged []uint32
}

// unite puts the tokens of an image in one group.
func (g *grouping) unite(tokens []token, width, height, cacheBits int) {
	g.layOut(width, height)
	clear(g.group)
	g.setHistograms(1, alphabetSize(cacheBits))
	g.recount(tokens, width)
}

// split finds groups for the tokens of an image, as k-means finds clusters: from
// stretches of tiles on, each tile goes to the group whose codes suit it best and
// each group's codes follow its tiles. Once is enough: going on gains a hundredth
// of a percent. Where not even the stretches pay for their codes, as in noise, it is
// left out. Groups that do not pay for theirs are merged. There is at least one. The
// format lets a file have 65536; few are quick to find, and the codes of many cost
// what they gain.
func (g *grouping) split(tokens []token, width, height, cacheBits int) {
	g.layOut(width, height)
	n := min(maxGroups, width*height/groupPixels, len(tokens)/groupTokens, len(g.group))
	if n < 2 {
		g.unite(tokens, width, height, cacheBits)
		return
	}
	// Captures are in Morton order: neighbours in the image are neighbours in
	// space, and stretches of it a good start.
	for i := range g.group {
		g.group[i] = uint32(i * n / len(g.group))
	}
	g.setHistograms(n, alphabetSize(cacheBits))
	g.recount(tokens, width)
	if g.pay() {
		g.price()
		g.assign(tokens, width)
		g.recount(tokens, width)
	}
	g.merge()
}

// pay reports whether the groups are shorter to say than one of all tokens.
func (g *grouping) pay() bool {
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

// layOut sets the tiles. They are 16 pixels wide, or as small as maxTiles allows.
func (g *grouping) layOut(width, height int) {
	g.bits = 4
	for tiles(width, g.bits)*tiles(height, g.bits) > maxTiles {
		g.bits++
	}
	g.across, g.down = tiles(width, g.bits), tiles(height, g.bits)
	g.group = resize(g.group, g.across*g.down)
}

// tiled gives each token with the tile that it starts in.
func (g *grouping) tiled(tokens []token, width int) iter.Seq2[int, token] {
	return func(yield func(int, token) bool) {
		x, y := 0, 0
		for _, t := range tokens {
			if !yield(y>>g.bits*g.across+x>>g.bits, t) {
				return
			}
			for x += t.pixels(); x >= width; x -= width {
				y++
			}
		}
	}
}

// setHistograms makes n histograms of size entries, to be set.
func (g *grouping) setHistograms(n, size int) {
	g.histograms = resize(g.histograms, n)
	for i := range g.histograms {
		g.histograms[i] = resize(g.histograms[i], size)
	}
}

// recount counts the tokens of each group.
func (g *grouping) recount(tokens []token, width int) {
	for _, h := range g.histograms {
		clear(h)
	}
	for tile, t := range g.tiled(tokens, width) {
		t.count(g.histograms[g.group[tile]])
	}
}

// price sets prices to what each symbol costs in each group. Two groups share a
// number, one in each half, so that one addition serves both.
func (g *grouping) price() {
	size, pairs := len(g.histograms[0]), (len(g.histograms)+1)/2
	g.prices = resize(g.prices, size*pairs)
	clear(g.prices)
	g.costs = resize(g.costs, size)
	for k, h := range g.histograms {
		allCosts(g.costs, h)
		for s, c := range g.costs {
			g.prices[s*pairs+k/2] |= uint64(c) << (32 * (k & 1))
		}
	}
}

// assign gives each tile the group that says its tokens the shortest. The bits that
// follow symbols are the same in all.
func (g *grouping) assign(tokens []token, width int) {
	pairs := (len(g.histograms) + 1) / 2
	g.sums = resize(g.sums, len(g.group)*pairs)
	clear(g.sums)
	for tile, t := range g.tiled(tokens, width) {
		sums := g.sums[tile*pairs : (tile+1)*pairs]
		switch c := t.value; t.length {
		case literal:
			g.addLiteral(sums, c)
		case cached:
			g.add(sums, cacheStart+int(c))
		default:
			s, _, _ := prefix(t.length)
			g.add(sums, lengthStart+s)
			s, _, _ = prefix(c)
			g.add(sums, distanceStart+s)
		}
	}
	for tile := range g.group {
		g.group[tile] = g.cheapest(g.sums[tile*pairs : (tile+1)*pairs])
	}
}

// cheapest returns the group with the lowest sum.
func (g *grouping) cheapest(sums []uint64) (chosen uint32) {
	best := uint32(1<<32 - 1)
	for k := range g.histograms {
		if sum := uint32(sums[k/2] >> (32 * (k & 1))); sum < best {
			best, chosen = sum, uint32(k)
		}
	}
	return chosen
}

// add adds the prices of a symbol.
func (g *grouping) add(sums []uint64, symbol int) {
	prices := g.prices[symbol*len(sums):][:len(sums)]
	for i := range sums {
		sums[i] += prices[i]
	}
}

// addLiteral adds the prices of a pixel, in one go, for most tokens are pixels.
func (g *grouping) addLiteral(sums []uint64, c uint32) {
	n := len(sums)
	red := g.prices[(redStart+int(c>>16&255))*n:][:n]
	green := g.prices[(greenStart+int(c>>8&255))*n:][:n]
	blue := g.prices[(blueStart+int(c&255))*n:][:n]
	alpha := g.prices[(alphaStart+int(c>>24))*n:][:n]
	for i := range sums {
		sums[i] += red[i] + green[i] + blue[i] + alpha[i]
	}
}

// tiles returns how many tiles of 1<<bits pixels a side of so many needs.
func tiles(side, bits int) int { return (side + 1<<bits - 1) >> bits }
