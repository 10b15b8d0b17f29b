package palette

import (
	"context"
	"math"
)

const (
	// splitSample is the number of a node's points that determine its plane.
	splitSample = 1024
	// splitRounds is the number of rounds of 2-means for a split.
	splitRounds = 2
	// treeWidth is the number of principal axes in which a plane is searched
	// first. They have nearly all of the variance.
	treeWidth = 24
	// taskPoints is the maximum number of points of a node that becomes the task
	// of one worker.
	taskPoints = 4096
)

// node is a set of points that gets a number of entries, starting with first.
type node struct {
	order   []uint32
	entries int
	first   uint32
}

// tree assigns initial entries to points by recursive bisection.
type tree struct {
	points rows
	labels []uint32 // of each point, in the points' own order
}

// grow labels all points with entries from 0 to entries-1 and returns the order of the
// points in the tree, in which the points of every subtree are adjacent. Some entries
// stay unused if points are equal.
func (t *tree) grow(ctx context.Context, entries int, w *workers) ([]uint32, error) {
	order := make([]uint32, t.points.len())
	for i := range order {
		order[i] = uint32(i)
	}
	w.progress.startStage(costTree, len(order))
	tasks := t.splitToTasks(ctx, node{order, entries, 0})
	err := w.forEach(ctx, len(tasks), func(i, _ int) {
		t.splitTask(ctx, tasks[i], w.progress)
	})
	return order, err
}

// splitToTasks splits nodes until they are small enough to be tasks.
func (t *tree) splitToTasks(ctx context.Context, root node) []node {
	finder := newPlaneFinder(t.points.width)
	stack, tasks := []node{root}, []node(nil)
	for len(stack) > 0 && ctx.Err() == nil {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if len(n.order) <= taskPoints || n.entries == 1 {
			tasks = append(tasks, n)
			continue
		}
		if left, right, ok := t.split(n, finder); ok {
			stack = append(stack, left, right)
		} else {
			n.entries = 1
			tasks = append(tasks, n)
		}
	}
	return tasks
}

// splitTask splits a node completely and labels its points. Its stack is at most as
// long as the tree is deep.
func (t *tree) splitTask(ctx context.Context, root node, progress *progress) {
	finder := newPlaneFinder(t.points.width)
	stack, unreported := []node{root}, 0
	for len(stack) > 0 && ctx.Err() == nil {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.entries > 1 && n.entries < len(n.order) {
			if left, right, ok := t.split(n, finder); ok {
				stack = append(stack, left, right)
				continue
			}
			n.entries = 1
		}
		t.labelPoints(n)
		if unreported += len(n.order); unreported >= blockSize || len(stack) == 0 {
			progress.add(unreported)
			unreported = 0
		}
	}
}

// labelPoints gives all points of a node its first entry, or each point its own if
// there are as many entries as points.
func (t *tree) labelPoints(n node) {
	for i, p := range n.order {
		t.labels[p] = n.first
		if n.entries == len(n.order) {
			t.labels[p] += uint32(i)
		}
	}
}

// split divides a node's points by a plane, and its entries by the error on each side.
// Ok is false if the points are equal.
//
// Each side gets entries for its share of the error, but at least one, and not more than it has
// points.
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
	share := finder.lowerErrorShare() * float64(n.entries)
	entries := int(math.Round(share))
	entries = max(1, n.entries-(len(n.order)-low), min(n.entries-1, low, entries))
	left = node{n.order[:low], entries, n.first}
	right = node{n.order[low:], n.entries - entries, n.first + uint32(entries)}
	return left, right, true
}
