package sog

import (
	"math/bits"
	"slices"
)

// A Morton key holds the level in its upper bits. Below are the coordinates along the three
// axes with their bits interleaved, which is Morton order. 19 bits for each axis leave 7 of the
// 64 bits for the level.
const (
	axisBits = 19
	keyBits  = 3 * axisBits
)

// mortonSorter sorts Gaussians by level and Morton order. It reuses its memory and must not be used
// by several goroutines concurrently. It sorts at most 2^32 Gaussians.
type mortonSorter struct {
	keys []uint64 // Morton keys by position in the input
	// entries hold 32 bits of a key in the upper half and the position of the Gaussian in
	// the input in the lower half. Sorting moves 8 bytes instead of a key and an index, and
	// equal keys stay in the order of the input.
	entries, spare []uint64
	input          []uint32
}

// sort sorts the indices of Gaussians by level and, within a level, along a space-filling
// curve, so that neighbours in an image are neighbours in space and compress well.
// Positions holds x, y and z by index, starts the first index of each level, and bounds
// the box around the Gaussians.
func (s *mortonSorter) sort(indices []uint32, positions []float32, starts []int64, bounds box) {
	s.setKeys(indices, positions, starts, bounds)
	s.sortEntries()
	s.input = append(s.input[:0], indices...)
	for i, entry := range s.entries {
		indices[i] = s.input[uint32(entry)]
	}
}

// setKeys fills keys for these Gaussians.
func (s *mortonSorter) setKeys(indices []uint32, positions []float32, starts []int64, bounds box) {
	s.keys = resize(s.keys, len(indices))
	var scale [3]float64
	for axis := range scale {
		if extent := bounds.extent(axis); extent > 0 {
			scale[axis] = (1<<axisBits - 1) / extent
		}
	}
	// The curve visits the cells of a grid. All sides of the box have the same number
	// of cells, whatever their lengths.
	low := [3]float64{float64(bounds.low[0]), float64(bounds.low[1]), float64(bounds.low[2])}
	for i, index := range indices {
		p := positions[3*int(index):][:3]
		s.keys[i] = uint64(levelOf(starts, index))<<keyBits |
			spreadBits(uint64((float64(p[0])-low[0])*scale[0])) |
			spreadBits(uint64((float64(p[1])-low[1])*scale[1]))<<1 |
			spreadBits(uint64((float64(p[2])-low[2])*scale[2]))<<2
	}
}

// sortEntries sets the entries to the positions in the input in the order of their keys.
func (s *mortonSorter) sortEntries() {
	s.entries = resize(s.entries, len(s.keys))
	if len(s.keys) == 0 {
		return
	}
	var different uint64 // the bits that are not the same in all keys
	for _, key := range s.keys {
		different |= key ^ s.keys[0]
	}
	// The highest 32 bits that differ tell nearly all Gaussians of a capture apart.
	below := max(bits.Len64(different)-32, 0)
	for i, key := range s.keys {
		s.entries[i] = key>>below<<32 | uint64(i)
	}
	s.radixSort()
	if below == 0 {
		return
	}
	// Gaussians with the same upper bits are few, except in a hostile file or beside
	// points that are very far away.
	for from := 0; from < len(s.entries); {
		to := from + 1
		for to < len(s.entries) && s.entries[to]>>32 == s.entries[from]>>32 {
			to++
		}
		if to-from > 1 {
			s.sortByLowerBits(s.entries[from:to], below)
		}
		from = to
	}
}

// sortByLowerBits sorts entries whose keys differ in the lowest bits only, at most 32.
func (s *mortonSorter) sortByLowerBits(entries []uint64, count int) {
	for i, entry := range entries {
		entries[i] = s.keys[uint32(entry)]<<(64-count)>>(64-count)<<32 | entry&(1<<32-1)
	}
	slices.Sort(entries)
}

// levelOf returns the level of an index. It searches linearly, because there are few
// levels and the first have most of the Gaussians.
func levelOf(starts []int64, index uint32) int {
	level := 0
	for level+1 < len(starts) && int64(index) >= starts[level+1] {
		level++
	}
	return level
}

// spreadBits inserts two zeros before each of the lowest axisBits bits. Each step doubles
// the number of groups of bits and moves them apart.
func spreadBits(v uint64) uint64 {
	v = (v | v<<32) & 0x001f00000000ffff
	v = (v | v<<16) & 0x001f0000ff0000ff
	v = (v | v<<8) & 0x100f00f00f00f00f
	v = (v | v<<4) & 0x10c30c30c30c30c3
	return (v | v<<2) & 0x1249249249249249
}

// radixSort sorts the entries by their upper half, byte by byte from the lowest. It is
// stable, and its time does not depend on the keys, which may come from a hostile file.
func (s *mortonSorter) radixSort() {
	s.spare = resize(s.spare, len(s.entries))
	var counts [4][256]uint32
	for _, entry := range s.entries {
		counts[0][byte(entry>>32)]++
		counts[1][byte(entry>>40)]++
		counts[2][byte(entry>>48)]++
		counts[3][byte(entry>>56)]++
	}
	for digit := range counts {
		count, shift := &counts[digit], 32+8*digit
		if int(count[byte(s.entries[0]>>shift)]) == len(s.entries) {
			continue // all entries have the same byte
		}
		next := uint32(0)
		for i, n := range count {
			count[i], next = next, next+n
		}
		for _, entry := range s.entries {
			place := &count[byte(entry>>shift)]
			s.spare[*place] = entry
			*place++
		}
		s.entries, s.spare = s.spare, s.entries
	}
}

// resize returns a slice of n values, in the memory of s if that is large enough. Its
// values are undefined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
