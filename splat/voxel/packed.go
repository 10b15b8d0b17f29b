package voxel

import "math/bits"

// packed is a copy of a grid's bits in a fraction of the memory. Nearly all words are all clear, in
// free space, or all set, in solid space. Only the other words are stored. It is immutable, and
// safe for concurrent use.
type packed struct {
	rowWords int // words in a row
	maskLen  int // words in a mask, which has one bit for each word of a row
	// full and mixed are the masks of each row.
	full, mixed []uint64
	starts      []uint32 // the index in words of each row's first mixed word
	words       []uint64
}

// pack returns a packed copy of the grid's bits.
func (g *grid) pack() *packed {
	rows, maskLen := g.ny*g.nz, (g.words+63)/64
	p := &packed{
		rowWords: g.words, maskLen: maskLen,
		full: make([]uint64, rows*maskLen), mixed: make([]uint64, rows*maskLen), starts: make([]uint32, rows),
	}
	kept := 0
	for _, w := range g.bits {
		if w+1 > 1 { // neither all clear nor all set
			kept++
		}
	}
	p.words = make([]uint64, 0, kept)
	for row := range rows {
		p.starts[row] = uint32(len(p.words))
		for i, w := range g.bits[row*g.words : (row+1)*g.words] {
			at, bit := row*maskLen+i>>6, uint64(1)<<(i&63)
			switch w {
			case 0:
			case ^uint64(0):
				p.full[at] |= bit
			default:
				p.mixed[at] |= bit
				p.words = append(p.words, w)
			}
		}
	}
	return p
}

// word returns word i of a row, with a bit for each of its 64 voxels.
func (p *packed) word(row, i int) uint64 {
	at, bit := row*p.maskLen+i>>6, uint64(1)<<(i&63)
	if p.full[at]&bit != 0 {
		return ^uint64(0)
	}
	if p.mixed[at]&bit == 0 {
		return 0
	}
	// The words are stored without gaps, so the place of a word is the number of mixed words before
	// it.
	before := bits.OnesCount64(p.mixed[at] & (bit - 1))
	for k := row * p.maskLen; k < at; k++ {
		before += bits.OnesCount64(p.mixed[k])
	}
	return p.words[int(p.starts[row])+before]
}

// unpack stores a row in words.
func (p *packed) unpack(row int, words []uint64) {
	next := int(p.starts[row])
	for i := range words {
		at, bit := row*p.maskLen+i>>6, uint64(1)<<(i&63)
		switch {
		case p.full[at]&bit != 0:
			words[i] = ^uint64(0)
		case p.mixed[at]&bit != 0:
			words[i] = p.words[next]
			next++
		default:
			words[i] = 0
		}
	}
}
