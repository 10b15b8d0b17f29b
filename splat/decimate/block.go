package decimate

import (
	"math"
	"slices"

	"portico/splat/gaussian"
)

// block merges the Gaussians of a part of a cloud. At first each node is one Gaussian, in the
// order of the tree. Later a node also represents all Gaussians that were merged into it. A
// block is used for one part after another, and reuses its memory.
type block struct {
	tree  tree
	nodes []moments
	// weights contains the weight of each Gaussian before the first merge.
	weights []float64
	// lists contains neighbourCount neighbours for each node; the first counts of them are valid.
	// A neighbour that was merged since then represents the node that root returns.
	lists  []uint32
	counts []uint8
	// neighbourCosts contains the costs of merging a node with its neighbours before either was
	// merged. For merged nodes these costs are lower bounds.
	neighbourCosts []float32
	// parents contains the node into which a node was merged. A node that is its own parent is
	// alive.
	parents []uint32
	// partners and costs contain the cheapest merge of each living node. If a node is its own
	// partner, its cost is a lower bound.
	partners []uint32
	costs    []float32
	// partnerCounts contains the number of originals of the partner when the cost was computed.
	partnerCounts []float32
	// maxCount is the maximum number of originals of a node. Larger nodes have a high penalty.
	maxCount float64
	queue    queue
}

// mergeTo merges Gaussians until at most want are left, or until no node has a neighbour, and
// returns how many are left. It prefers nodes of at most maxCount originals.
func (b *block) mergeTo(source *gaussian.Cloud, want, maxCount int) (left int) {
	b.maxCount = float64(maxCount)
	b.load(source)
	left = source.Len()
	if left <= want {
		return left
	}
	b.fillQueue()
	return left - b.mergeCheapest(left-want)
}

// load makes a node of each Gaussian and finds its neighbours.
func (b *block) load(source *gaussian.Cloud) {
	n := source.Len()
	b.tree.build(source.Positions)
	b.nodes, b.parents, b.weights = resize(b.nodes, n), resize(b.parents, n), resize(b.weights, n)
	b.lists, b.counts = resize(b.lists, n*neighbourCount), resize(b.counts, n)
	b.neighbourCosts, b.partnerCounts = resize(b.neighbourCosts, n*neighbourCount), resize(b.partnerCounts, n)
	b.partners, b.costs = resize(b.partners, n), resize(b.costs, n)
	for i, index := range b.tree.order {
		b.nodes[i], b.parents[i] = newMoments(source, int(index)), uint32(i)
		b.weights[i] = b.nodes[i].weight
		s := b.tree.nearest(i)
		b.counts[i] = uint8(s.n)
		copy(b.list(uint32(i)), s.found[:s.n])
	}
}

// list returns the neighbours of a node.
func (b *block) list(i uint32) []uint32 {
	return b.lists[int(i)*neighbourCount:][:b.counts[i]]
}

// costsOfNeighbours returns the costs of merging a node with its neighbours.
func (b *block) costsOfNeighbours(i uint32) []float32 {
	return b.neighbourCosts[int(i)*neighbourCount:][:b.counts[i]]
}

// root returns the living node into which a node was merged, and shortens the path to it. It halves
// the path instead of compressing it fully (van Leeuwen and van der Weide), which needs no second
// pass.
func (b *block) root(i uint32) uint32 {
	for b.parents[i] != i {
		b.parents[i] = b.parents[b.parents[i]]
		i = b.parents[i]
	}
	return i
}

// isAlive reports whether a node was not merged into another.
func (b *block) isAlive(i uint32) bool { return b.parents[i] == i }

// fillQueue finds the partners of all nodes before the first merge, and queues the nodes.
// It computes the cost of each pair once, although most pairs are in two lists.
func (b *block) fillQueue() {
	for i := range b.nodes {
		b.partners[i], b.costs[i] = uint32(i), float32(math.Inf(1))
	}
	for i := range b.nodes {
		i := uint32(i)
		for k, j := range b.list(i) {
			back := slices.Index(b.list(j), i)
			if j < i && back >= 0 {
				continue
			}
			cost := b.mergeCost(i, j)
			b.costsOfNeighbours(i)[k] = cost
			b.offer(i, j, cost)
			b.offer(j, i, cost)
			if back >= 0 {
				b.costsOfNeighbours(j)[back] = cost
			}
		}
	}
	b.queue.clear()
	for i := range b.nodes {
		if i := uint32(i); b.partners[i] != i {
			b.queue.add(entry{b.costs[i], i})
		}
	}
	b.queue.heapify()
}

// mergeCost returns the cost of merging two nodes, with the penalty.
func (b *block) mergeCost(i, j uint32) float32 {
	m := merge(&b.nodes[i], &b.nodes[j])
	return baseCost(&b.nodes[i], &b.nodes[j], &m) + b.penalty(m.count)
}

// penalty returns the additional cost of a merge whose result has this number of originals.
func (b *block) penalty(count float64) (penalty float32) {
	if count > 2 {
		penalty = tripleCost
	}
	for ; count > b.maxCount; count /= 2 {
		penalty += excessCost
	}
	return penalty
}

// offer makes j the partner of i if that is cheaper.
func (b *block) offer(i, j uint32, cost float32) {
	if cost < b.costs[i] {
		b.partners[i], b.costs[i], b.partnerCounts[i] = j, cost, float32(b.nodes[j].count)
	}
}

// findPartner finds the cheapest merge of a node, and reports whether there is one. It also
// updates the node's list. It computes a cost again only for a node that was merged since, and
// only if the lower bound is less than the cheapest cost so far: computing costs takes most of
// the time.
func (b *block) findPartner(i uint32) bool {
	list, costs, kept := b.list(i), b.costsOfNeighbours(i), 0
	b.partners[i], b.costs[i] = i, float32(math.Inf(1))
	untouched := b.nodes[i].count == 1
	for k, j := range list {
		r := b.root(j)
		if r == i || slices.Contains(list[:kept], r) {
			continue
		}
		list[kept], costs[kept] = r, costs[k]
		kept++
		if untouched && b.nodes[r].count == 1 {
			b.offer(i, r, costs[kept-1])
		}
	}
	b.counts[i] = uint8(kept)
	for k, j := range list[:kept] {
		count := b.nodes[i].count + b.nodes[j].count
		if count > 2 && costs[k]+b.penalty(count) < b.costs[i] {
			b.offer(i, j, b.mergeCost(i, j))
		}
	}
	return b.partners[i] != i
}

// mergeCheapest merges up to limit nodes, the cheapest first, and returns how many were merged.
// Costs in the queue may be lower bounds: they are corrected when they are the first in the queue.
// Merging with corrections in this order gives the same result as an exact queue would, as long as
// no entry is above its real cost.
func (b *block) mergeCheapest(limit int) (merged int) {
	for merged < limit && len(b.queue) > 0 {
		first := b.queue[0]
		i := first.node
		if !b.isAlive(i) {
			b.queue.drop()
			continue
		}
		if j := b.partners[i]; j != i && b.isAlive(j) && b.nodes[j].count == float64(b.partnerCounts[i]) {
			b.merge(i, j)
			merged++
			// This cost is a lower bound for the next merge of the node, except in rare cases.
			count := b.nodes[i].count
			b.partners[i] = i
			b.queue.replace(first.cost - b.penalty(count) + b.penalty(count+1))
			continue
		}
		if b.findPartner(i) {
			b.queue.replace(b.costs[i])
		} else {
			b.queue.drop()
		}
	}
	return merged
}

// merge merges node j into node i. The list of i becomes the nearest neighbours of both lists. The
// other nodes that have j as a neighbour are not updated: root finds i for them.
func (b *block) merge(i, j uint32) {
	b.nodes[i] = merge(&b.nodes[i], &b.nodes[j])
	b.parents[j] = i
	lists := [2][]uint32{b.list(i), b.list(j)}
	costs := [2][]float32{b.costsOfNeighbours(i), b.costsOfNeighbours(j)}
	var both [neighbourCount]uint32
	var bothCosts [neighbourCount]float32
	n := 0
	for k := range max(len(lists[0]), len(lists[1])) {
		for l, list := range lists {
			if k >= len(list) || n == neighbourCount {
				continue
			}
			if r := b.root(list[k]); r != i && !slices.Contains(both[:n], r) {
				both[n], bothCosts[n] = r, costs[l][k]
				n++
			}
		}
	}
	b.counts[i] = uint8(n)
	copy(b.list(i), both[:n])
	copy(b.costsOfNeighbours(i), bothCosts[:n])
}
