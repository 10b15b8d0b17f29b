package decimate

import (
	"math"
	"slices"

	"portico/splat/gaussian"
)

// partMerger merges the Gaussians of a part of a cloud. At first each node is one Gaussian, in the
// order of the tree. Later a node also represents all Gaussians that were merged into it.
//
// It is used for one part after another, and reuses its memory.
type partMerger struct {
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
func (p *partMerger) mergeTo(source *gaussian.Cloud, want, maxCount int) (left int) {
	p.maxCount = float64(maxCount)
	p.load(source)
	left = source.Len()
	if left <= want {
		return left
	}
	p.fillQueue()
	return left - p.mergeCheapest(left-want)
}

// load makes a node of each Gaussian and finds its neighbours.
func (p *partMerger) load(source *gaussian.Cloud) {
	n := source.Len()
	p.tree.build(source.Positions)
	p.nodes, p.parents, p.weights = resize(p.nodes, n), resize(p.parents, n), resize(p.weights, n)
	p.lists, p.counts = resize(p.lists, n*neighbourCount), resize(p.counts, n)
	p.neighbourCosts, p.partnerCounts = resize(p.neighbourCosts, n*neighbourCount), resize(p.partnerCounts, n)
	p.partners, p.costs = resize(p.partners, n), resize(p.costs, n)
	for i, index := range p.tree.order {
		p.nodes[i], p.parents[i] = newMoments(source, int(index)), uint32(i)
		p.weights[i] = p.nodes[i].weight
		s := p.tree.nearest(i)
		p.counts[i] = uint8(s.n)
		copy(p.list(uint32(i)), s.found[:s.n])
	}
}

// list returns the neighbours of a node.
func (p *partMerger) list(i uint32) []uint32 {
	return p.lists[int(i)*neighbourCount:][:p.counts[i]]
}

// costsOfNeighbours returns the costs of merging a node with its neighbours.
func (p *partMerger) costsOfNeighbours(i uint32) []float32 {
	return p.neighbourCosts[int(i)*neighbourCount:][:p.counts[i]]
}

// root returns the living node into which a node was merged, and shortens the path to it. It halves
// the path instead of compressing it fully (van Leeuwen and van der Weide), which needs no second
// pass.
func (p *partMerger) root(i uint32) uint32 {
	for p.parents[i] != i {
		p.parents[i] = p.parents[p.parents[i]]
		i = p.parents[i]
	}
	return i
}

// isAlive reports whether a node was not merged into another.
func (p *partMerger) isAlive(i uint32) bool { return p.parents[i] == i }

// fillQueue finds the partners of all nodes before the first merge, and queues the nodes.
// It computes the cost of each pair once, although most pairs are in two lists.
func (p *partMerger) fillQueue() {
	for i := range p.nodes {
		p.partners[i], p.costs[i] = uint32(i), float32(math.Inf(1))
	}
	for i := range p.nodes {
		i := uint32(i)
		for k, j := range p.list(i) {
			back := slices.Index(p.list(j), i)
			if j < i && back >= 0 {
				continue
			}
			cost := p.mergeCost(i, j)
			p.costsOfNeighbours(i)[k] = cost
			p.offer(i, j, cost)
			p.offer(j, i, cost)
			if back >= 0 {
				p.costsOfNeighbours(j)[back] = cost
			}
		}
	}
	p.queue.clear()
	for i := range p.nodes {
		if i := uint32(i); p.partners[i] != i {
			p.queue.add(entry{p.costs[i], i})
		}
	}
	p.queue.heapify()
}

// mergeCost returns the cost of merging two nodes, with the penalty.
func (p *partMerger) mergeCost(i, j uint32) float32 {
	m := merge(&p.nodes[i], &p.nodes[j])
	return baseCost(&p.nodes[i], &p.nodes[j], &m) + p.penalty(m.count)
}

// penalty returns the additional cost of a merge whose result has this number of originals.
func (p *partMerger) penalty(count float64) (penalty float32) {
	if count > 2 {
		penalty = tripleCost
	}
	for ; count > p.maxCount; count /= 2 {
		penalty += excessCost
	}
	return penalty
}

// offer makes j the partner of i if that is cheaper.
func (p *partMerger) offer(i, j uint32, cost float32) {
	if cost < p.costs[i] {
		p.partners[i], p.costs[i], p.partnerCounts[i] = j, cost, float32(p.nodes[j].count)
	}
}

// findPartner finds the cheapest merge of a node, and reports whether there is one. It also updates
// the node's list. It computes a cost again only for a node that has been merged since then, and
// only if the lower bound is less than the cheapest cost so far: computing costs takes most of the
// time.
func (p *partMerger) findPartner(i uint32) bool {
	list, costs, kept := p.list(i), p.costsOfNeighbours(i), 0
	p.partners[i], p.costs[i] = i, float32(math.Inf(1))
	untouched := p.nodes[i].count == 1
	for k, j := range list {
		r := p.root(j)
		if r == i || slices.Contains(list[:kept], r) {
			continue
		}
		list[kept], costs[kept] = r, costs[k]
		kept++
		if untouched && p.nodes[r].count == 1 {
			p.offer(i, r, costs[kept-1])
		}
	}
	p.counts[i] = uint8(kept)
	for k, j := range list[:kept] {
		count := p.nodes[i].count + p.nodes[j].count
		if count > 2 && costs[k]+p.penalty(count) < p.costs[i] {
			p.offer(i, j, p.mergeCost(i, j))
		}
	}
	return p.partners[i] != i
}

// mergeCheapest merges up to limit nodes, the cheapest first, and returns how many were merged.
// Costs in the queue may be lower bounds: they are corrected when they are the first in the queue.
// Merging with corrections in this order gives the same result as an exact queue would, as long as
// no entry is above its real cost.
func (p *partMerger) mergeCheapest(limit int) (merged int) {
	for merged < limit && len(p.queue) > 0 {
		first := p.queue[0]
		i := first.node
		if !p.isAlive(i) {
			p.queue.drop()
			continue
		}
		if j := p.partners[i]; j != i && p.isAlive(j) && p.nodes[j].count == float64(p.partnerCounts[i]) {
			p.merge(i, j)
			merged++
			// This cost is a lower bound for the next merge of the node, except in rare cases.
			count := p.nodes[i].count
			p.partners[i] = i
			p.queue.replace(first.cost - p.penalty(count) + p.penalty(count+1))
			continue
		}
		if p.findPartner(i) {
			p.queue.replace(p.costs[i])
		} else {
			p.queue.drop()
		}
	}
	return merged
}

// merge merges node j into node i. The list of i becomes the nearest neighbours of both lists. The
// other nodes that have j as a neighbour are not updated: root finds i for them.
func (p *partMerger) merge(i, j uint32) {
	p.nodes[i] = merge(&p.nodes[i], &p.nodes[j])
	p.parents[j] = i
	lists := [2][]uint32{p.list(i), p.list(j)}
	costs := [2][]float32{p.costsOfNeighbours(i), p.costsOfNeighbours(j)}
	var both [neighbourCount]uint32
	var bothCosts [neighbourCount]float32
	n := 0
	for k := range max(len(lists[0]), len(lists[1])) {
		for l, list := range lists {
			if k >= len(list) || n == neighbourCount {
				continue
			}
			if r := p.root(list[k]); r != i && !slices.Contains(both[:n], r) {
				both[n], bothCosts[n] = r, costs[l][k]
				n++
			}
		}
	}
	p.counts[i] = uint8(n)
	copy(p.list(i), both[:n])
	copy(p.costsOfNeighbours(i), bothCosts[:n])
}
