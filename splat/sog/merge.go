package sog

import (
	"context"
	"fmt"

	"portico/splat/decimate"
	"portico/splat/gaussian"
)

// minMergedChunk is the minimum size of the chunks of merged levels.
const minMergedChunk = 64 << 10

// planLevels decides how many coarser levels a source with these levels gets, and adds
// their work to the progress.
func (w *writer) planLevels(levels []int) {
	w.sourceLevels = len(levels)
	n := levels[len(levels)-1]
	if n <= w.rules.maxCoarsest {
		return
	}
	for n > w.rules.coarsest && w.sourceLevels+w.mergedLevels < maxLevels {
		w.progress.total += int64(n) * costMerge
		n = decimate.Half(n)
		w.progress.total += int64(n) * (chunkCost(w.degree) - costRead)
		w.mergedLevels++
	}
}

// leafRules returns the rules for leaves. Each merged level has half of the Gaussians of the level
// before it, so together they have as many as the level from which they are merged. Therefore that
// level gets only half of the limit.
func (w *writer) leafRules() rules {
	r := w.rules
	if w.mergedLevels > 0 {
		r.chunkGaussians /= 2
	}
	return r
}

// addMergedParts adds the parts of the merged levels to all leaves.
func (w *writer) addMergedParts(root *node) {
	last := w.sourceLevels - 1
	root.visitLeaves(func(l *leaf) {
		part := l.parts[len(l.parts)-1]
		if part.level != last {
			return // the leaf has nothing to merge
		}
		for range w.mergedLevels {
			part = leafPart{level: part.level + 1, count: decimate.Half(part.count), box: emptyBox()}
			l.parts = append(l.parts, part)
		}
	})
}

// chunkSizes returns the maximum number of Gaussians in a chunk, by level. The chunks of merged
// levels are in memory until they are full, in all levels at the same time, so each level has
// smaller ones.
func (w *writer) chunkSizes() []int {
	size := w.rules.chunkGaussians
	smallest := min(minMergedChunk, size)
	var sizes []int
	for range w.sourceLevels {
		sizes = append(sizes, size)
	}
	for range w.mergedLevels {
		size = max(size/2, smallest)
		sizes = append(sizes, size)
	}
	return sizes
}

// merger makes and writes the merged levels, chunk by chunk of the level before them.
// Leaves are merged separately: viewers show neighbouring leaves at different levels, so a
// Gaussian that was merged from both would be missing or drawn twice.
type merger struct {
	*writer
	decimator decimate.Decimator
	levels    []mergedLevel
}

// mergedLevel is a level that is being made.
type mergedLevel struct {
	// chunks are the chunks that are not written yet. The first one is filled.
	chunks []*plannedChunk
	filled gaussian.Cloud
	// cloud contains the last Gaussians that were made.
	cloud gaussian.Cloud
}

// newMerger returns the merger that writes the chunks of the merged levels.
func newMerger(w *writer, chunks []*plannedChunk) *merger {
	m := &merger{writer: w, decimator: decimate.Decimator{Workers: w.options.workers()}}
	m.levels = make([]mergedLevel, w.mergedLevels)
	for _, planned := range chunks {
		if i := planned.level - w.sourceLevels; i >= 0 {
			m.levels[i].chunks = append(m.levels[i].chunks, planned)
		}
	}
	return m
}

// add makes all merged levels of the leaves of a chunk, which contains the Gaussians of c.
//
// It halves level by level: the result of one is the source of the next.
func (m *merger) add(ctx context.Context, planned *plannedChunk, c *gaussian.Cloud) error {
	counts := make([]int, len(planned.parts))
	for i, p := range planned.parts {
		counts[i] = p.count
	}
	for i := range m.levels {
		to := &m.levels[i].cloud
		message := fmt.Sprintf("Merging neighbours for level %d", planned.level+1+i)
		m.progress.add(0, message)
		if err := m.decimator.Halve(ctx, c, counts, to, i > 0); err != nil {
			return err
		}
		m.progress.add(int64(c.Len())*costMerge, message)
		for k := range counts {
			counts[k] = decimate.Half(counts[k])
		}
		if err := m.appendToChunks(ctx, &m.levels[i], counts); err != nil {
			return err
		}
		c = to
	}
	return nil
}

// appendToChunks appends the Gaussians of l.cloud, count by count, to the level's next chunk, and
// writes each chunk that is full. A leaf is never divided between chunks.
func (m *merger) appendToChunks(ctx context.Context, l *mergedLevel, counts []int) error {
	first := 0
	for _, count := range counts {
		l.filled.Degree = l.cloud.Degree
		l.filled.Append(l.cloud.Slice(first, first+count))
		first += count
		if l.filled.Len() < l.chunks[0].count {
			continue
		}
		if err := m.writeChunk(ctx, l.chunks[0], &l.filled); err != nil {
			return err
		}
		l.chunks = l.chunks[1:]
		l.filled.Resize(0, l.cloud.Degree)
	}
	return nil
}
