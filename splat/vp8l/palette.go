package vp8l

import "slices"

// maxColours is the size of the largest colour table (RFC 9649, section 3.5.4).
const maxColours = 256

// palette is the table of an image of few colours. The zero value is ready.
type palette struct {
	colours []uint32 // ascending
}

// collect sets colours to those of the image, and reports whether they are few
// enough.
func (p *palette) collect(pixels []uint32) bool {
	// A hash table with open addressing in which 0 is an empty place, hence the
	// colour 0 is kept apart. It is at most a quarter full.
	var seen [1024]uint32
	p.colours = p.colours[:0]
	zero := false
	last := ^pixels[0] // runs need no look-up; this begins none
	for _, c := range pixels {
		if c == last {
			continue
		}
		last = c
		if c == 0 {
			zero = true
			continue
		}
		at := c * cacheHash >> 22
		for seen[at] != 0 && seen[at] != c {
			at = (at + 1) & 1023
		}
		if seen[at] == c {
			continue
		}
		if len(p.colours) == maxColours {
			return false
		}
		seen[at] = c
		p.colours = append(p.colours, c)
	}
	if zero {
		p.colours = append(p.colours, 0)
	}
	slices.Sort(p.colours)
	return len(p.colours) <= maxColours
}

// packing returns how many pixels share one of the coded image, as an exponent
// of two.
func (p *palette) packing() int {
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

// index sets out to the image's indices, packed into the green of pixels with the
// leftmost in the lowest bits, and returns it with its width. Each row begins a new
// pixel.
func (p *palette) index(out, pixels []uint32, width, height int) (packed []uint32, packedWidth int) {
	share := p.packing()
	packedWidth = tiles(width, share)
	packed = out[:packedWidth*height]
	bits := 8 >> share
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
			row[x>>share] |= uint32(index) << (8 + bits*(x&(1<<share-1)))
		}
	}
	return packed, packedWidth
}

// table returns the colours as they are written, each as its difference to the
// one before, which is small in sorted colours.
func (p *palette) table() []uint32 {
	t := make([]uint32, len(p.colours))
	last := uint32(0)
	for i, c := range p.colours {
		t[i], last = subtract(c, last), c
	}
	return t
}
