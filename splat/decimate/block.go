package decimate

import (
	"math"
	"slices"

	"portico/splat/gaussian"
)

// block merges the Gaussians of a part of a cloud. A node stands for a Gaussian, at its
// place in the order of the tree, and later for all Gaussians that were merged to it. A
// block is used for one part after the other and reuses its memory.
type block struct {
	tree  tree
	nodes []moments
	// lists holds neighbourCount places for each node, of which counts are valid. Nodes
	// that were merged since stand for the node that root returns.
	lists  []uint32
	counts []uint8
	// parents leads from a node that was merged to another to that node. A node that is
	// its own parent is alive.
	parents []uint32
	// partners and costs hold the cheapest merge of each living node.
	partners []uint32
	costs    []float32
	// maxCount is the maximum number of originals of a node.
	maxCount float64
	queue    queue
}

// reduce merges Gaussians until at most want are left, or until no node has a neighbour,
// and returns how many are left. Nodes of up to maxCount originals come first.
func (b *block) reduce(from *gaussian.Cloud, want, maxCount int) (left int) {
	b.load(from)
	left = from.Len()
	for limit := maxCount; left > want && limit < left+2*maxCount && limit < 1<<8; limit *= 2 {
		b.maxCount = float64(limit)
		b.fillQueue(limit == maxCount)
		left -= b.mergeCheapest(left - want)
	}
	return left
}

// load makes a node of each Gaussian and finds its neighbours.
func (b *block) load(from *gaussian.Cloud) {
	n := from.Len()
	b.tree.build(from.Positions)
	b.nodes, b.parents = resize(b.nodes, n), resize(b.parents, n)
	b.lists, b.counts = resize(b.lists, n*neighbourCount), resize(b.counts, n)
	b.partners, b.costs = resize(b.partners, n), resize(b.costs, n)
	for i, index := range b.tree.order {
		b.nodes[i], b.parents[i] = newMoments(from, int(index)), uint32(i)
		s := b.tree.nearest(i)
		b.counts[i] = uint8(s.n)
		copy(b.list(uint32(i)), s.found[:s.n])
	}
}

// list returns the neighbours of a node.
func (b *block) list(i uint32) []uint32 {
	return b.lists[int(i)*neighbourCount:][:b.counts[i]]
}

// root returns the living node that a node was merged to, and shortens the way to it.
func (b *block) root(i uint32) uint32 {
	for b.parents[i] != i {
		b.parents[i] = b.parents[b.parents[i]]
		i = b.parents[i]
	}
	return i
}

// isAlive reports whether a node was not merged to another.
func (b *block) isAlive(i uint32) bool { return b.parents[i] == i }

// fillQueue finds the partner of each living node and queues the nodes.
func (b *block) fillQueue(untouched bool) {
	b.queue.clear()
	if untouched {
		b.findAllPartners()
	}
	for i := range b.nodes {
		if i := uint32(i); b.isAlive(i) && (untouched && b.partners[i] != i || !untouched && b.findPartner(i)) {
			b.queue.add(entry{b.costs[i], i})
		}
	}
	b.queue.order()
}

// findAllPartners finds the partners of all nodes before the first merge. It computes the
// cost of each pair once, although most pairs are in two lists.
func (b *block) findAllPartners() {
	for i := range b.nodes {
		b.partners[i], b.costs[i] = uint32(i), float32(math.Inf(1))
	}
	for i := range b.nodes {
		i := uint32(i)
		for _, j := range b.list(i) {
			if j < i && slices.Contains(b.list(j), i) {
				continue
			}
			m := merge(&b.nodes[i], &b.nodes[j])
			price := cost(&b.nodes[i], &b.nodes[j], &m)
			b.offer(i, j, price)
			b.offer(j, i, price)
		}
	}
}

// offer makes j the partner of i if that is cheaper.
func (b *block) offer(i, j uint32, price float32) {
	if price < b.costs[i] {
		b.partners[i], b.costs[i] = j, price
	}
}

// findPartner finds the cheapest merge of a node, and reports whether there is one. It
// brings the node's list up to date.
func (b *block) findPartner(i uint32) bool {
	list, kept := b.list(i), 0
	b.partners[i], b.costs[i] = i, float32(math.Inf(1))
	for _, j := range list {
		j = b.root(j)
		if j == i || slices.Contains(list[:kept], j) {
			continue
		}
		list[kept] = j
		kept++
		if b.nodes[i].count+b.nodes[j].count > b.maxCount {
			continue
		}
		m := merge(&b.nodes[i], &b.nodes[j])
		b.offer(i, j, cost(&b.nodes[i], &b.nodes[j], &m))
	}
	b.counts[i] = uint8(kept)
	return b.partners[i] != i
}

// mergeCheapest merges up to limit nodes, the cheapest first, and returns how many were
// merged. Costs in the queue may be out of date: they are corrected when their turn comes.
func (b *block) mergeCheapest(limit int) (merged int) {
	for merged < limit && len(b.queue) > 0 {
		first := b.queue[0]
		i := first.node
		if !b.isAlive(i) {
			b.queue.drop()
			continue
		}
		if j := b.partners[i]; b.isAlive(j) && b.nodes[i].count+b.nodes[j].count <= b.maxCount {
			b.merge(i, j)
			merged++
		}
		if b.findPartner(i) {
			b.queue.replace(b.costs[i])
		} else {
			b.queue.drop()
		}
	}
	return merged
}

// merge merges node j to node i, whose list becomes the nearest of both lists.
func (b *block) merge(i, j uint32) {
	b.nodes[i] = merge(&b.nodes[i], &b.nodes[j])
	b.parents[j] = i
	mine, theirs := b.list(i), b.list(j)
	var both [neighbourCount]uint32
	n := 0
	for k := range max(len(mine), len(theirs)) {
		for _, list := range [2][]uint32{mine, theirs} {
			if k >= len(list) || n == neighbourCount {
				continue
			}
			if r := b.root(list[k]); r != i && !slices.Contains(both[:n], r) {
				both[n] = r
				n++
			}
		}
	}
	b.counts[i] = uint8(n)
	copy(b.list(i), both[:n])
}
