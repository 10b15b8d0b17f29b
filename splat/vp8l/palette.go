package vp8l

import "slices"

// maxColours is the maximum size of a colour table (RFC 9649, section 3.5.4).
const maxColours = 256

// palette is the colour table of an image with few colours. The zero value is ready
// to use.
type palette struct {
	colours []uint32 // ascending
}

// collectColours sets colours to the image's colours and reports whether there are at most
// maxColours.
func (p *palette) collectColours(pixels []uint32) bool {
	// A hash table with open addressing, at most a quarter full. Zero marks an empty
	// slot, so the colour zero is kept in a variable.
	var seen [1024]uint32
	p.colours = p.colours[:0]
	zero := false
	last := ^pixels[0] // runs need no look-up; any value but the first pixel starts
	for _, c := range pixels {
		if c == last {
			continue
		}
		last = c
		if c == 0 {
			zero = true
			continue
		}
		slot := c * cacheHash >> 22
		for seen[slot] != 0 && seen[slot] != c {
			slot = (slot + 1) & 1023
		}
		if seen[slot] == c {
			continue
		}
		if len(p.colours) == maxColours {
			return false
		}
		seen[slot] = c
		p.colours = append(p.colours, c)
	}
	if zero {
		p.colours = append(p.colours, 0)
	}
	slices.Sort(p.colours)
	return len(p.colours) <= maxColours
}

// packingBits returns log2 of the number of indices in one pixel of the coded image
// (RFC 9649, section 3.5.4).
//
//	colours      bits of an index    indices in a pixel
//	1, 2         1                   8
//	3, 4         2                   4
//	5 to 16      4                   2
//	17 to 256    8                   1
func (p *palette) packingBits() int {
	switch n := len(p.colours); {
	case n <= 2:
		return 3
	case n <= 4:
		return 2
	case n <= 16:
		return 1
	default:
		return 0
	}
}

// index replaces colours by indices, packs them into the green of the pixels of out,
// the leftmost in the lowest bits, and returns the packed image with its width. Each
// row starts with a new pixel.
func (p *palette) index(out, pixels []uint32, width, height int) (packed []uint32, packedWidth int) {
	packing := p.packingBits()
	packedWidth = tileCount(width, packing)
	packed = out[:packedWidth*height]
	bits := 8 >> packing
	last, index := p.colours[0], 0
	for y := range height {
		row := packed[y*packedWidth : (y+1)*packedWidth]
		for x := range row {
			row[x] = opaqueBlack
		}
		for x, c := range pixels[y*width : (y+1)*width] {
			if c != last {
				last = c
				index, _ = slices.BinarySearch(p.colours, c)
			}
			row[x>>packing] |= uint32(index) << (8 + bits*(x&(1<<packing-1)))
		}
	}
	return packed, packedWidth
}

// table returns the colours as a file stores them: as differences from the previous
// colour, which are small because the colours are sorted.
func (p *palette) table() []uint32 {
	t := make([]uint32, len(p.colours))
	last := uint32(0)
	for i, c := range p.colours {
		t[i], last = subtract(c, last), c
	}
	return t
}
