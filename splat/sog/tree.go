package sog

import (
	"context"
	"math"
	"sync"
)

// rules say how space is divided.
type rules struct {
	// unit is how many Gaussians a chunk has at most, and a leaf with all its
	// levels.
	unit int
	// extent is how wide a leaf is at most, in metres, unless it has no more than
	// sparse Gaussians: sky and dust would be divided endlessly.
	extent, sparse int
}

// defaultRules are those of splat-transform, to which viewers are tuned.
var defaultRules = rules{unit: 512 << 10, extent: 16, sparse: 8 << 10}

// aloneSize is how many Gaussians are worth a goroutine.
const aloneSize = 1 << 16

// node is a part of space: either two halves or a leaf.
type node struct {
	halves [2]*node
	leaf   *leaf
}

// leaf is what viewers show or leave out as a whole, at one of its levels.
type leaf struct {
	// numbers are those of its Gaussians, sorted: a part of the builder's.
	numbers []uint32
	// parts holds what it has of each level that it has anything of.
	parts []leafPart
}

// leafPart is the Gaussians of one level in a leaf.
type leafPart struct {
	level   int
	numbers []uint32
	// file and offset say in which chunk they are written, and where in it.
	file, offset int
	// box is that around their ellipsoids.
	box box
}

// builder divides space at the median along the longest side, again and again,
// until the rules say that a part is a leaf. All levels are divided together, so
// that each leaf has its part of each level.
type builder struct {
	rules
	ctx       context.Context
	positions []float32 // of all levels
	starts    []int64   // the first number of each level
	numbers   []uint32  // what is divided
	keys      []uint32  // the coordinates of numbers that are compared
	tell      func(done int)

	free    chan struct{} // a token for each further goroutine
	sorters sync.Pool
}

// build returns the tree of all numbers. It brings them into the order in which
// the leaves have them.
func (b *builder) build(workers int) (*node, error) {
	b.keys = make([]uint32, len(b.numbers))
	b.free = make(chan struct{}, workers-1)
	b.sorters.New = func() any { return new(sorter) }
	root := b.divide(0, len(b.numbers))
	return root, b.ctx.Err()
}

// divide returns the tree of a part of the numbers. It returns anything once the
// context is over.
func (b *builder) divide(from, to int) *node {
	b.tell(0)
	if b.ctx.Err() != nil {
		return nil
	}
	around := boxAround(b.numbers[from:to], b.positions)
	axis := 0
	for other := 1; other < 3; other++ {
		if around.extent(other) > around.extent(axis) {
			axis = other
		}
	}
	if n := to - from; n <= b.unit && (n <= b.sparse || around.extent(axis) <= float64(b.extent)) {
		return &node{leaf: b.newLeaf(from, to, around)}
	}
	middle := from + (to-from)/2
	b.halve(from, to, middle, axis)
	n := &node{}
	b.both(to-from,
		func() { n.halves[0] = b.divide(from, middle) },
		func() { n.halves[1] = b.divide(middle, to) })
	return n
}

// both does two things, side by side if they are large and a goroutine is free.
func (b *builder) both(size int, first, second func()) {
	if size < aloneSize {
		first()
		second()
		return
	}
	select {
	case b.free <- struct{}{}:
		var wait sync.WaitGroup
		wait.Go(func() {
			first()
			<-b.free
		})
		second()
		wait.Wait()
	default:
		first()
		second()
	}
}

// halve moves the numbers whose coordinate is smaller before the middle, and the
// others behind it. The median is found digit by digit, in a time that does not
// depend on the coordinates.
func (b *builder) halve(from, to, middle, axis int) {
	keys, numbers := b.keys[from:to], b.numbers[from:to]
	for i, number := range numbers {
		keys[i] = sortable(b.positions[3*number+uint32(axis)])
	}
	median, rank := uint32(0), uint32(middle-from)
	known := uint32(0) // the bits of the median that are found
	for _, digit := range []struct{ shift, mask uint32 }{{21, 0x7ff}, {10, 0x7ff}, {0, 0x3ff}} {
		var counts [0x800]uint32
		for _, key := range keys {
			if key&known == median {
				counts[key>>digit.shift&digit.mask]++
			}
		}
		value := uint32(0)
		for rank >= counts[value] {
			rank -= counts[value]
			value++
		}
		median |= value << digit.shift
		known |= digit.mask << digit.shift
	}
	// Smaller ones to the front, larger ones to the back: the middle then lies
	// among those that are equal to the median.
	for i, front, back := 0, 0, len(keys); i < back; {
		switch {
		case keys[i] < median:
			keys[i], keys[front] = keys[front], keys[i]
			numbers[i], numbers[front] = numbers[front], numbers[i]
			i++
			front++
		case keys[i] > median:
			back--
			keys[i], keys[back] = keys[back], keys[i]
			numbers[i], numbers[back] = numbers[back], numbers[i]
		default:
			i++
		}
	}
}

// sortable returns a number that is in the order of finite floats.
func sortable(v float32) uint32 {
	bits := math.Float32bits(v)
	if bits>>31 != 0 {
		return ^bits
	}
	return bits | 1<<31
}

// newLeaf sorts the numbers of a leaf, around which there is this box, and finds its
// levels.
func (b *builder) newLeaf(from, to int, around box) *leaf {
	s := b.sorters.Get().(*sorter)
	s.sort(b.numbers[from:to], b.positions, b.starts, around)
	b.sorters.Put(s)
	l := &leaf{numbers: b.numbers[from:to:to]}
	for rest := l.numbers; len(rest) > 0; {
		level, n := levelOf(b.starts, rest[0]), 1
		for n < len(rest) && levelOf(b.starts, rest[n]) == level {
			n++
		}
		l.parts = append(l.parts, leafPart{level: level, numbers: rest[:n:n], box: emptyBox()})
		rest = rest[n:]
	}
	b.tell(to - from)
	return l
}

// leaves calls f for each leaf in the order of the tree, in which neighbours lie
// together.
func (n *node) leaves(f func(*leaf)) {
	if n.leaf != nil {
		f(n.leaf)
		return
	}
	for _, half := range n.halves {
		half.leaves(f)
	}
}
