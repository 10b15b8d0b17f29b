package sog

// The bits of a sorting key: the level, then the places along the three axes in
// turn, which is Morton order.
const (
	axisBits = 19
	keyBits  = 3 * axisBits
)

// sorter sorts Gaussians by level and Morton order. It keeps its memory for the
// next time and is for one goroutine at a time.
type sorter struct {
	keys, otherKeys []uint64
	otherNumbers    []uint32
}

// sort sorts numbers of Gaussians by their level and, within a level, along a
// curve that fills the box around all of them, which is given, so that neighbours
// in an image are neighbours in space. positions holds x, y, z by number; starts,
// the first number of each level.
func (s *sorter) sort(numbers []uint32, positions []float32, starts []int64, around box) {
	s.keys = grow(s.keys, len(numbers))
	s.otherKeys = grow(s.otherKeys, len(numbers))
	s.otherNumbers = grow(s.otherNumbers, len(numbers))
	var scale [3]float64
	for axis := range scale {
		if extent := around.extent(axis); extent > 0 {
			scale[axis] = (1<<axisBits - 1) / extent
		}
	}
	// The curve visits the cells of a grid in the box, so all sides of the box have
	// the same number of cells, however long they are.
	for i, number := range numbers {
		key := uint64(levelOf(starts, number)) << keyBits
		for axis := range scale {
			at := (float64(positions[3*number+uint32(axis)]) - float64(around.low[axis])) * scale[axis]
			key |= spread(uint64(at)) << axis
		}
		s.keys[i] = key
	}
	s.radix(numbers)
}

// levelOf returns the level of a number. There are few levels, and the first have
// most of the Gaussians.
func levelOf(starts []int64, number uint32) int {
	level := 0
	for level+1 < len(starts) && int64(number) >= starts[level+1] {
		level++
	}
	return level
}

// spread puts two zeros before each of the lowest axisBits bits.
func spread(v uint64) uint64 {
	v = (v | v<<32) & 0x001f00000000ffff
	v = (v | v<<16) & 0x001f0000ff0000ff
	v = (v | v<<8) & 0x100f00f00f00f00f
	v = (v | v<<4) & 0x10c30c30c30c30c3
	return (v | v<<2) & 0x1249249249249249
}

// radix sorts numbers by the keys, byte by byte from the lowest: a stable sort
// whose time does not depend on what a stranger chose the keys to be.
func (s *sorter) radix(numbers []uint32) {
	var counts [8][256]uint32
	for _, key := range s.keys {
		for digit := range counts {
			counts[digit][byte(key>>(8*digit))]++
		}
	}
	from, to := numbers, s.otherNumbers
	for digit := range counts {
		count := &counts[digit]
		if len(s.keys) == 0 || int(count[byte(s.keys[0]>>(8*digit))]) == len(s.keys) {
			continue // all have the same byte here
		}
		next := uint32(0)
		for i, n := range count {
			count[i], next = next, next+n
		}
		for i, key := range s.keys {
			place := &count[byte(key>>(8*digit))]
			s.otherKeys[*place], to[*place] = key, from[i]
			*place++
		}
		s.keys, s.otherKeys = s.otherKeys, s.keys
		from, to = to, from
	}
	if len(numbers) > 0 && &from[0] != &numbers[0] {
		copy(numbers, from)
	}
}

// grow returns a slice of n values, s if it has the room. They are to be set.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
