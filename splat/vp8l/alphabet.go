package vp8l

import "math/bits"

// The five alphabets of a prefix code group (RFC 9649, section 3.7.1) stand one
// after the other in a histogram: what is added to all of them alike needs one
// loop. Green comes last, for a colour cache lengthens it.
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

// alphabetSize returns the length of a histogram with a colour cache of 1<<bits
// entries, or with none for 0 bits.
func alphabetSize(cacheBits int) int {
	if cacheBits == 0 {
		return cacheStart
	}
	return cacheStart + 1<<cacheBits
}

// channels returns where each alphabet begins and ends within a histogram of size
// entries, in the order in which a file holds their codes.
func channels(size int) [5][2]int {
	return [5][2]int{
		{greenStart, size},
		{redStart, blueStart},
		{blueStart, alphaStart},
		{alphaStart, distanceStart},
		{distanceStart, greenStart},
	}
}

// prefix splits a length or a distance code, from 1, into the symbol of its
// alphabet, the number of bits that follow the symbol, and those bits (RFC 9649,
// section 3.6.2.2).
func prefix(value uint32) (symbol int, count uint, extra uint32) {
	v := value - 1
	if v < 4 {
		return int(v), 0, 0
	}
	top := uint(bits.Len32(v)) - 1
	count = top - 1
	half := v >> count & 1
	return int(2*top + uint(half)), count, v & (1<<count - 1)
}

// maxLength and maxDistance bound what a copy may say: the last symbols of the
// two alphabets with all of their bits set.
const (
	maxLength   = 4096
	maxDistance = 1<<20 - planeCodes
)

// planeCodes is how many distance codes stand for pixels close by in the plane.
const planeCodes = 120

// near lists the pixels that the first distance codes stand for, as columns to
// the left and rows up (RFC 9649, section 3.6.2.2).
var near = [planeCodes][2]int8{
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

// planes maps columns and rows to the codes of near, for images of one width.
// The zero value is made ready by set.
type planes struct {
	width int
	codes [8][17]uint8 // by rows up and 8 + columns to the left; 0 is none
}

// set fills the table.
func (p *planes) set(width int) {
	p.width = width
	for i, n := range near {
		p.codes[n[1]][8+n[0]] = uint8(i + 1)
	}
}

// code returns the distance code of a distance in pixels, from 1. A pixel that
// lies close by to the right in a row above is close by from the left in the
// row below it, so both readings of the distance are looked up.
func (p *planes) code(distance uint32) uint32 {
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
