package sog

import (
	"context"
	"math"
	"sync"
)

// rules are the rules for dividing space.
type rules struct {
	// chunkGaussians is the maximum number of Gaussians in a chunk, and in all levels
	// of a leaf together.
	chunkGaussians int
	// chunkExtent is the maximum width of a leaf in metres. Leaves with at most
	// chunkMinGaussians may be wider; otherwise sky and dust would be divided into
	// countless leaves.
	chunkExtent, chunkMinGaussians int
	// Captures whose coarsest level has more than maxCoarsest Gaussians get coarser
	// levels, until one has at most coarsest. Its few megabytes are the first picture
	// that a viewer shows.
	maxCoarsest, coarsest int
	// minScratch is the number of Gaussians in a level from which a scratch pays off.
	minScratch int
}

// defaultRules are the rules of splat-transform, to which viewers are tuned.
var defaultRules = rules{chunkGaussians: 512 << 10, chunkExtent: 16, chunkMinGaussians: 8 << 10, maxCoarsest: 200_000, coarsest: 100_000, minScratch: 4 << 20}

// minParallelSize is the number of Gaussians from which a goroutine pays off.
const minParallelSize = 1 << 16

// node is a part of space with either two children or a leaf.
type node struct {
	children [2]*node
	leaf     *leaf
}

// leaf is a part of space that viewers show as a whole, at one of its levels.
type leaf struct {
	// indices contains its Gaussians, sorted. It is a part of the builder's slice.
	indices []uint32
	// parts contains its Gaussians by level, without empty levels.
	parts []leafPart
}

// leafPart contains the Gaussians of one level in a leaf.
type leafPart struct {
	level, count int
	// indices contains the Gaussians in the source. It is nil if they are made by merging
	// the Gaussians of the level before.
	indices []uint32
	// file is the index of their chunk, and offset their position in it.
	file, offset int
	// box is the box around their ellipsoids.
	box box
}

// builder builds a k-d tree: it divides space at the median of the longest side until the
// rules allow a leaf. It divides all levels together, so that each leaf has a part of
// each level.
type builder struct {
	rules
	ctx       context.Context
	positions []float32 // of all levels
	starts    []int64   // the first index of each level
	indices   []uint32  // Gaussians to divide
	keys      []uint32  // sort keys of the indices' coordinates
	report    func(done int)

	slots   chan struct{} // contains a value for each additional goroutine
	sorters sync.Pool
}

// buildTree returns the tree of all indices and sorts the indices in the order of the leaves.
func (b *builder) buildTree(workers int) (*node, error) {
	b.keys = make([]uint32, len(b.indices))
	b.slots = make(chan struct{}, workers-1)
	b.sorters.New = func() any { return new(mortonSorter) }
	root := b.buildNode(0, len(b.indices))
	return root, b.ctx.Err()
}

// buildNode returns the tree of a range of the indices. Its result is undefined once the context
// has ended. The two halves of a range do not overlap, so the goroutines need no lock.
func (b *builder) buildNode(from, to int) *node {
	b.report(0)
	if b.ctx.Err() != nil {
		return nil
	}
	// The longest side, so that leaves become nearly cubes: a viewer shows whole leaves,
	// and parts of a long leaf would be near while others are far.
	around := boundingBox(b.indices[from:to], b.positions)
	axis := 0
	for other := 1; other < 3; other++ {
		if around.extent(other) > around.extent(axis) {
			axis = other
		}
	}
	if n := to - from; n <= b.chunkGaussians && (n <= b.chunkMinGaussians || around.extent(axis) <= float64(b.chunkExtent)) {
		return &node{leaf: b.newLeaf(from, to, around)}
	}
	middle := from + (to-from)/2
	b.partition(from, to, middle, axis)
	n := &node{}
	b.runBoth(to-from,
		func() { n.children[0] = b.buildNode(from, middle) },
		func() { n.children[1] = b.buildNode(middle, to) })
	return n
}

// runBoth calls two functions, concurrently if size is large and a goroutine is free.
func (b *builder) runBoth(size int, first, second func()) {
	if size < minParallelSize {
		first()
		second()
		return
	}
	select {
	case b.slots <- struct{}{}:
		var wait sync.WaitGroup
		wait.Go(func() {
			first()
			<-b.slots
		})
		second()
		wait.Wait()
	default:
		first()
		second()
	}
}

// partition reorders the indices so that smaller coordinates come before middle and larger ones
// after it. It finds the median digit by digit, like a radix sort, so that its time does not depend
// on the coordinates; quickselect could be made quadratic. It is a radix select: each of three
// passes finds the next 11, 11 and 10 bits of the median.
func (b *builder) partition(from, to, middle, axis int) {
	keys, indices := b.keys[from:to], b.indices[from:to]
	for i, index := range indices {
		keys[i] = sortKey(b.positions[3*index+uint32(axis)])
	}
	median, rank := uint32(0), uint32(middle-from)
	known := uint32(0) // mask of the bits of median that are known
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
	// Move smaller keys to the front and larger ones to the back. Middle is then among
	// the keys that are equal to the median.
	for i, front, back := 0, 0, len(keys); i < back; {
		switch {
		case keys[i] < median:
			keys[i], keys[front] = keys[front], keys[i]
			indices[i], indices[front] = indices[front], indices[i]
			i++
			front++
		case keys[i] > median:
			back--
			keys[i], keys[back] = keys[back], keys[i]
			indices[i], indices[back] = indices[back], indices[i]
		default:
			i++
		}
	}
}

// sortKey returns an integer that is ordered like the finite float.
func sortKey(v float32) uint32 {
	bits := math.Float32bits(v)
	if bits>>31 != 0 {
		return ^bits
	}
	return bits | 1<<31
}

// newLeaf sorts the Gaussians of a leaf with the given bounding box, and splits them by
// level.
func (b *builder) newLeaf(from, to int, around box) *leaf {
	// The level is the highest part of the sort key, so each level is a run.
	s := b.sorters.Get().(*mortonSorter)
	s.sort(b.indices[from:to], b.positions, b.starts, around)
	b.sorters.Put(s)
	l := &leaf{indices: b.indices[from:to:to]}
	for rest := l.indices; len(rest) > 0; {
		level, n := levelOf(b.starts, rest[0]), 1
		for n < len(rest) && levelOf(b.starts, rest[n]) == level {
			n++
		}
		l.parts = append(l.parts, leafPart{level: level, count: n, indices: rest[:n:n], box: emptyBox()})
		rest = rest[n:]
	}
	b.report(to - from)
	return l
}

// visitLeaves calls f for each leaf in the order of the tree, in which neighbours are near
// each other.
func (n *node) visitLeaves(f func(*leaf)) {
	if n.leaf != nil {
		f(n.leaf)
		return
	}
	for _, half := range n.children {
		half.visitLeaves(f)
	}
}
