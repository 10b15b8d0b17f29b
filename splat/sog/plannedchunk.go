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
func (u *plannedChunk) name() string { return fmt.Sprintf("%d_%d", u.level, u.index) }

// planChunks assigns the leaves' parts of each level to chunks of at most sizes[level]
// Gaussians, in the order of the tree, and sets the file and offset of each part. A part is never
// divided: a viewer loads one file for each leaf and level. A chunk contains one level,
// because viewers load the levels of a region at different times.
func planChunks(root *node, sizes []int) []*plannedChunk {
	ofLevel := make([][]*plannedChunk, len(sizes))
	root.leaves(func(l *leaf) {
		for i := range l.parts {
			p := &l.parts[i]
			units := ofLevel[p.level]
			if len(units) == 0 || units[len(units)-1].count+p.count > sizes[p.level] {
				units = append(units, &plannedChunk{level: p.level, index: len(units)})
				ofLevel[p.level] = units
			}
			u := units[len(units)-1]
			p.offset = u.count
			u.parts = append(u.parts, p)
			u.count += p.count
		}
	})
	var all []*plannedChunk
	for _, units := range ofLevel {
		for i, u := range units {
			u.message = fmt.Sprintf("encoding level %d, chunk %d of %d", u.level, i+1, len(units))
			for _, p := range u.parts {
				p.file = len(all)
			}
			all = append(all, u)
		}
	}
	return all
}

// indices appends the indices of the chunk's Gaussians within their level, which starts
// at start.
func (u *plannedChunk) indices(to []uint32, start int64) []uint32 {
	for _, p := range u.parts {
		for _, index := range p.indices {
			to = append(to, index-uint32(start))
		}
	}
	return to
}
