package sog

import "fmt"

// plannedChunk is a chunk to write: adjacent leaves' parts of one level.
type plannedChunk struct {
	// index is the index of the chunk among the chunks of its level.
	level, index int
	// count is the number of Gaussians in all parts.
	count int
	parts []*leafPart
	// message is the text for the progress while this chunk is encoded.
	message string
}

// name returns the directory of the chunk, named like splat-transform's.
func (planned *plannedChunk) name() string { return fmt.Sprintf("%d_%d", planned.level, planned.index) }

// planChunks assigns the leaves' parts of each level to chunks of at most sizes[level] Gaussians,
// in the order of the tree, and sets the file and offset of each part. A part is never divided: a
// viewer loads one file for each leaf and level. A chunk contains one level, because viewers load
// the levels of a region at different times. The result is ordered by level, and the file of a part
// is its index.
func planChunks(root *node, sizes []int) []*plannedChunk {
	ofLevel := make([][]*plannedChunk, len(sizes))
	root.visitLeaves(func(l *leaf) {
		for i := range l.parts {
			p := &l.parts[i]
			chunks := ofLevel[p.level]
			if len(chunks) == 0 || chunks[len(chunks)-1].count+p.count > sizes[p.level] {
				chunks = append(chunks, &plannedChunk{level: p.level, index: len(chunks)})
				ofLevel[p.level] = chunks
			}
			planned := chunks[len(chunks)-1]
			p.offset = planned.count
			planned.parts = append(planned.parts, p)
			planned.count += p.count
		}
	})
	var all []*plannedChunk
	for _, chunks := range ofLevel {
		for i, planned := range chunks {
			planned.message = fmt.Sprintf("Encoding level %d, chunk %d of %d", planned.level, i+1, len(chunks))
			for _, p := range planned.parts {
				p.file = len(all)
			}
			all = append(all, planned)
		}
	}
	return all
}

// indices appends the indices of the chunk's Gaussians within their level, which starts
// at start.
func (planned *plannedChunk) indices(to []uint32, start int64) []uint32 {
	for _, p := range planned.parts {
		for _, index := range p.indices {
			to = append(to, index-uint32(start))
		}
	}
	return to
}
