package palette

import (
	"context"
	"math"
)

const (
	// splitSample is how many points of a node its splitting plane is found from.
	splitSample = 1024
	// splitRounds is how often the two means of a split are moved.
	splitRounds = 2
	// treeWidth is how many of the principal axes a plane is looked for in first:
	// they have nearly all of the variance.
	treeWidth = 24
	// taskPoints is the size of a node that one worker splits to the end.
	taskPoints = 4096
)

// node is a part of the points that is to have a number of entries, numbered
// from first.
type node struct {
	order   []uint32
	entries int
	first   uint32
}

// tree deals entries out to points by splitting them in two, again and again.
type tree struct {
	points rows
	labels []uint32 // of each point, in the points' own order
}

// grow labels all points with at most entries numbers and returns the order of
// the points in which those of an entry, of a small branch and of a great branch
// stand together. Some numbers stay unused where points are alike.
func (t *tree) grow(ctx context.Context, entries int, w *workers) ([]uint32, error) {
	order := make([]uint32, t.points.len())
	for i := range order {
		order[i] = uint32(i)
	}
	w.tell.stage(costTree, len(order))
	tasks := t.trunk(ctx, node{order, entries, 0})
	err := w.each(ctx, len(tasks), func(i, _ int) {
		t.branch(ctx, tasks[i], w.tell)
	})
	return order, err
}

// trunk splits until the nodes are small enough to be tasks.
func (t *tree) trunk(ctx context.Context, root node) []node {
	finder := newPlaneFinder(t.points.width)
	open, tasks := []node{root}, []node(nil)
	for len(open) > 0 && ctx.Err() == nil {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if len(n.order) <= taskPoints || n.entries == 1 {
			tasks = append(tasks, n)
			continue
		}
		if left, right, ok := t.split(n, finder); ok {
			open = append(open, left, right)
		} else {
			n.entries = 1
			tasks = append(tasks, n)
		}
	}
	return tasks
}

// branch splits a node to the end and labels its points. Its memory is that of the
// open nodes, no more than the tree is deep.
func (t *tree) branch(ctx context.Context, root node, tell *teller) {
	finder := newPlaneFinder(t.points.width)
	open, untold := []node{root}, 0
	for len(open) > 0 && ctx.Err() == nil {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if n.entries > 1 && n.entries < len(n.order) {
			if left, right, ok := t.split(n, finder); ok {
				open = append(open, left, right)
				continue
			}
			n.entries = 1
		}
		t.label(n)
		if untold += len(n.order); untold >= blockSize || len(open) == 0 {
			tell.add(untold)
			untold = 0
		}
	}
}

// label gives all points of a node its first number, or each its own if it has as
// many as points.
func (t *tree) label(n node) {
	for i, p := range n.order {
		t.labels[p] = n.first
		if n.entries == len(n.order) {
			t.labels[p] += uint32(i)
		}
	}
}

// split parts a node by a plane and its entries by the error on either side. It
// is not ok if the points are alike.
func (t *tree) split(n node, finder *planeFinder) (left, right node, ok bool) {
	if !finder.find(t.points, n.order) {
		return node{}, node{}, false
	}
	low, high := 0, len(n.order)
	for low < high {
		if finder.below(t.points.at(n.order[low])) {
			low++
		} else {
			high--
			n.order[low], n.order[high] = n.order[high], n.order[low]
		}
	}
	if low == 0 || low == len(n.order) {
		return node{}, node{}, false
	}
	share := finder.share() * float64(n.entries)
	entries := int(math.Round(share))
	entries = max(1, n.entries-(len(n.order)-low), min(n.entries-1, low, entries))
	left = node{n.order[:low], entries, n.first}
	right = node{n.order[low:], n.entries - entries, n.first + uint32(entries)}
	return left, right, true
}
