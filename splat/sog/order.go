package sog

// A sort key holds the level in its upper bits. Below are the coordinates along the three
// axes with their bits interleaved, which is Morton order.
const (
	axisBits = 19
	keyBits  = 3 * axisBits
)

// sorter sorts Gaussians by level and Morton order. It reuses its memory and must not be
// used by several goroutines at once.
type sorter struct {
	keys, spareKeys []uint64
	spareIndices    []uint32
}

// sort sorts the indices of Gaussians by level and, within a level, along a space-filling
// curve, so that neighbours in an image are neighbours in space and compress well.
// Positions holds x, y and z by index, starts the first index of each level, and bounds
// the box around the Gaussians.
func (s *sorter) sort(indices []uint32, positions []float32, starts []int64, bounds box) {
	s.keys = resize(s.keys, len(indices))
	s.spareKeys = resize(s.spareKeys, len(indices))
	s.spareIndices = resize(s.spareIndices, len(indices))
	var scale [3]float64
	for axis := range scale {
		if extent := bounds.extent(axis); extent > 0 {
			scale[axis] = (1<<axisBits - 1) / extent
		}
	}
	// The curve visits the cells of a grid. All sides of the box have the same number
	// of cells, whatever their lengths.
	for i, index := range indices {
		key := uint64(levelOf(starts, index)) << keyBits
		for axis := range scale {
			at := (float64(positions[3*index+uint32(axis)]) - float64(bounds.low[axis])) * scale[axis]
			key |= spreadBits(uint64(at)) << axis
		}
		s.keys[i] = key
	}
	s.radixSort(indices)
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

// radixSort sorts indices by keys, byte by byte from the lowest. It is stable, and its
// time does not depend on the keys, which may come from a hostile file.
func (s *sorter) radixSort(indices []uint32) {
	var counts [8][256]uint32
	for _, key := range s.keys {
		for digit := range counts {
			counts[digit][byte(key>>(8*digit))]++
		}
	}
	// All digits are counted in one pass above. Chunks are small parts of space, so
	// several of the high digits are usually the same in all keys and cost nothing.
	from, to := indices, s.spareIndices
	for digit := range counts {
		count := &counts[digit]
		if len(s.keys) == 0 || int(count[byte(s.keys[0]>>(8*digit))]) == len(s.keys) {
			continue // all keys have the same byte
		}
		next := uint32(0)
		for i, n := range count {
			count[i], next = next, next+n
		}
		for i, key := range s.keys {
			place := &count[byte(key>>(8*digit))]
			s.spareKeys[*place], to[*place] = key, from[i]
			*place++
		}
		s.keys, s.spareKeys = s.spareKeys, s.keys
		from, to = to, from
	}
	if len(indices) > 0 && &from[0] != &indices[0] {
		copy(indices, from)
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
