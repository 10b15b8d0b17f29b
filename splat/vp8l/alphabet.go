package vp8l

import "math/bits"

// A histogram contains the five alphabets of a prefix code group (RFC 9649, section
// 3.7.1) in one slice, so that one loop adds or compares all of them. Green comes
// last because the colour cache extends it.
const (
	redStart      = 0
	blueStart     = redStart + 256
	alphaStart    = blueStart + 256
	distanceStart = alphaStart + 256
	greenStart    = distanceStart + distanceSymbols
	lengthStart   = greenStart + 256
	cacheStart    = lengthStart + lengthSymbols

	distanceSymbols = 40
	lengthSymbols   = 24
)

// alphabetSize returns the length of a histogram for a colour cache of 1<<cacheBits
// entries. Zero bits mean no cache.
func alphabetSize(cacheBits int) int {
	if cacheBits == 0 {
		return cacheStart
	}
	return cacheStart + 1<<cacheBits
}

// alphabets returns the start and end of each alphabet within a histogram of size
// entries, in the order of their codes in a file.
func alphabets(size int) [5][2]int {
	return [5][2]int{
		{greenStart, size},
		{redStart, blueStart},
		{blueStart, alphaStart},
		{alphaStart, distanceStart},
		{distanceStart, greenStart},
	}
}

// prefixEncode splits a copy's length or distance code, which starts at 1, into a
// symbol of its alphabet, the number of extra bits, and the extra bits (RFC 9649,
// section 3.6.2.2).
//
// The symbols cover ranges that grow with the value (RFC 9649, section 3.6.2.2):
//
//	values    symbols    extra bits
//	1 to 4    0 to 3     0
//	5, 6      4          1
//	7, 8      5          1
//	9-12      6          2
//	13-16     7          2
//	17-24     8          3
//
// Above 4 the symbol is twice the place of the highest bit of value-1, plus the bit below it; the
// bits below that are the extra bits.
func prefixEncode(value uint32) (symbol int, count uint, extra uint32) {
	v := value - 1
	if v < 4 {
		return int(v), 0, 0
	}
	top := uint(bits.Len32(v)) - 1
	count = top - 1
	half := v >> count & 1
	return int(2*top + uint(half)), count, v & (1<<count - 1)
}

// maxLength and maxDistance are the largest values of a copy: the last symbols of
// the two alphabets with all extra bits set.
const (
	maxLength   = 4096
	maxDistance = 1<<20 - planeCodes
)

// planeCodes is the number of distance codes for pixels nearby in two dimensions.
const planeCodes = 120

// planeOffsets contains the pixel of each of the first distance codes, as columns to
// the left and rows up (RFC 9649, section 3.6.2.2).
var planeOffsets = [planeCodes][2]int8{
	{0, 1}, {1, 0}, {1, 1}, {-1, 1}, {0, 2}, {2, 0}, {1, 2}, {-1, 2},
	{2, 1}, {-2, 1}, {2, 2}, {-2, 2}, {0, 3}, {3, 0}, {1, 3}, {-1, 3},
	{3, 1}, {-3, 1}, {2, 3}, {-2, 3}, {3, 2}, {-3, 2}, {0, 4}, {4, 0},
	{1, 4}, {-1, 4}, {4, 1}, {-4, 1}, {3, 3}, {-3, 3}, {2, 4}, {-2, 4},
	{4, 2}, {-4, 2}, {0, 5}, {3, 4}, {-3, 4}, {4, 3}, {-4, 3}, {5, 0},
	{1, 5}, {-1, 5}, {5, 1}, {-5, 1}, {2, 5}, {-2, 5}, {5, 2}, {-5, 2},
	{4, 4}, {-4, 4}, {3, 5}, {-3, 5}, {5, 3}, {-5, 3}, {0, 6}, {6, 0},
	{1, 6}, {-1, 6}, {6, 1}, {-6, 1}, {2, 6}, {-2, 6}, {6, 2}, {-6, 2},
	{4, 5}, {-4, 5}, {5, 4}, {-5, 4}, {3, 6}, {-3, 6}, {6, 3}, {-6, 3},
	{0, 7}, {7, 0}, {1, 7}, {-1, 7}, {5, 5}, {-5, 5}, {7, 1}, {-7, 1},
	{4, 6}, {-4, 6}, {6, 4}, {-6, 4}, {2, 7}, {-2, 7}, {7, 2}, {-7, 2},
	{3, 7}, {-3, 7}, {7, 3}, {-7, 3}, {5, 6}, {-5, 6}, {6, 5}, {-6, 5},
	{8, 0}, {4, 7}, {-4, 7}, {7, 4}, {-7, 4}, {8, 1}, {8, 2}, {6, 6},
	{-6, 6}, {8, 3}, {5, 7}, {-5, 7}, {7, 5}, {-7, 5}, {8, 4}, {6, 7},
	{-6, 7}, {7, 6}, {-7, 6}, {8, 5}, {7, 7}, {-7, 7}, {8, 6}, {8, 7},
}

// planeTable is the inverse of planeOffsets for images of one width. Call set
// before use.
type planeTable struct {
	width int
	codes [8][17]uint8 // by rows up and 8 + columns to the left; 0 is none
}

// set fills the table for a width.
func (p *planeTable) set(width int) {
	p.width = width
	for i, n := range planeOffsets {
		p.codes[n[1]][8+n[0]] = uint8(i + 1)
	}
}

// code returns the distance code of a distance in pixels, which is at least 1. A
// distance has two readings, so code looks both up: as columns to the left, and
// as columns to the right one row further up.
//
// For a width of 100, a distance of 99 is one row up and one column to the right, which is code 4.
// Distances that the table does not have follow the codes of the table.
func (p *planeTable) code(distance uint32) uint32 {
	rows, columns := int(distance)/p.width, int(distance)%p.width
	if rows < 8 && columns <= 8 {
		if c := p.codes[rows][8+columns]; c != 0 {
			return uint32(c)
		}
	}
	if right := p.width - columns; rows < 7 && right <= 7 {
		if c := p.codes[rows+1][8-right]; c != 0 {
			return uint32(c)
		}
	}
	return distance + planeCodes
}
