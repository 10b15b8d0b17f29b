package sog

import "fmt"

// unit is a chunk: leaves of one level that lie together in space.
type unit struct {
	// index is the number of the chunk among those of its level.
	level, index int
	// count is how many Gaussians parts have together.
	count int
	parts []*leafPart
	// message says in the progress that this chunk is encoded.
	message string
}

// name is the directory of the chunk, as splat-transform calls it.
func (u *unit) name() string { return fmt.Sprintf("%d_%d", u.level, u.index) }

// pack puts the leaves of each level into chunks of this size, in the order of the
// tree, and notes in them where they are.
func pack(root *node, levels, size int) []*unit {
	ofLevel := make([][]*unit, levels)
	root.leaves(func(l *leaf) {
		for i := range l.parts {
			p := &l.parts[i]
			units := ofLevel[p.level]
			if len(units) == 0 || units[len(units)-1].count+len(p.numbers) > size {
				units = append(units, &unit{level: p.level, index: len(units)})
				ofLevel[p.level] = units
			}
			u := units[len(units)-1]
			p.offset = u.count
			u.parts = append(u.parts, p)
			u.count += len(p.numbers)
		}
	})
	var all []*unit
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

// numbers appends the numbers that the chunk's Gaussians have in their level,
// whose first one is given.
func (u *unit) numbers(to []uint32, start int64) []uint32 {
	for _, p := range u.parts {
		for _, number := range p.numbers {
			to = append(to, number-uint32(start))
		}
	}
	return to
}
