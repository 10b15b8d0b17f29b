package sog

import (
	"cmp"
	"path"
	"slices"

	"portico/splat/input"
)

// setLevels derives the number of levels from the tree if the index has no lodLevels, like
// the first version of the format.
func (x *index) setLevels() {
	if x.levels != unknownLevels {
		return
	}
	x.levels = 0
	for _, p := range x.parts {
		x.levels = max(x.levels, int64(p.level)+1)
	}
}

// check checks the index and sorts the parts by level, file and offset. That order
// defines the indices of the Gaussians in their level.
func (x *index) check() error {
	x.setLevels()
	switch {
	case x.version != 1:
		return input.Errorf(x.name, "is a streamed SOG of version %d; only version 1 can be read", x.version).
			Advise("Export it as version 1")
	case x.levels < 1 || x.levels > maxLevels:
		return input.Errorf(x.name, "has %d levels, not 1 to %d", x.levels, maxLevels).Advise(adviceToExportAgain)
	case x.counts != nil && int64(len(x.counts)) != x.levels:
		return input.Damaged(x.name, "it has %d levels but counts for %d", x.levels, len(x.counts))
	case len(x.parts) == 0:
		return input.Errorf(x.name, "has no Gaussians").Advise(adviceToExportAgain)
	}
	// Sorted parts of a file that overlap are neighbours, so checkParts takes one pass
	// instead of comparing every pair.
	x.unifyFiles()
	slices.SortFunc(x.parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.file, b.file), cmp.Compare(a.offset, b.offset))
	})
	if err := x.checkParts(); err != nil {
		return err
	}
	x.mergeParts()
	return x.numberParts()
}

// unifyFiles makes all parts of a chunk refer to it by the same index, even if the list
// of files names it several times. Otherwise checkParts would miss overlaps.
func (x *index) unifyFiles() {
	first, indices := map[string]int32{}, make([]int32, len(x.files))
	for i, name := range x.files {
		clean := path.Clean(name)
		if _, known := first[clean]; !known {
			first[clean] = int32(i)
		}
		indices[i] = first[clean]
	}
	for i := range x.parts {
		if p := &x.parts[i]; p.file >= 0 && int(p.file) < len(indices) {
			p.file = indices[p.file]
		}
	}
}

// checkParts checks each part, and that parts of a level do not overlap. Overlaps would
// let a small index have any number of Gaussians.
func (x *index) checkParts() error {
	for i, p := range x.parts {
		switch {
		case int64(p.level) >= x.levels:
			return input.Damaged(x.name, "it has a leaf with level %d among %d", p.level, x.levels)
		case p.file < 0 || int(p.file) >= len(x.files):
			return input.Damaged(x.name, "it refers to chunk %d among %d", p.file, len(x.files))
		case p.offset > x.limits.Gaussians || p.count > x.limits.Gaussians:
			return input.Errorf(x.name, "has more than the %d Gaussians that can be read", x.limits.Gaussians).Advise(adviceToExportInParts)
		}
		if i == 0 {
			continue
		}
		if before := x.parts[i-1]; before.level == p.level && before.file == p.file && before.offset+before.count > p.offset {
			return input.Damaged(x.name, "it has leaves that share Gaussians of %s", input.Quote(x.files[p.file]))
		}
	}
	return nil
}

// mergeParts merges adjacent parts. The leaves of a chunk usually are, so that a capture
// of thousands of leaves has only as many parts as chunks.
func (x *index) mergeParts() {
	joined := x.parts[:1]
	for _, p := range x.parts[1:] {
		last := &joined[len(joined)-1]
		if last.level == p.level && last.file == p.file && last.offset+last.count == p.offset {
			last.count += p.count
		} else {
			joined = append(joined, p)
		}
	}
	x.parts = slices.Clip(joined)
}

// numberParts sets the index of each part's first Gaussian in its level, and compares the
// sizes of the levels with the file's counts.
func (x *index) numberParts() error {
	totals, all := make([]int64, x.levels), int64(0)
	for i := range x.parts {
		p := &x.parts[i]
		p.first = totals[p.level]
		totals[p.level] += p.count
		if all += p.count; all > x.limits.Gaussians {
			return input.Errorf(x.name, "has more than the %d Gaussians that can be read", x.limits.Gaussians).Advise(adviceToExportInParts)
		}
	}
	for level, count := range x.counts {
		if count != totals[level] {
			return input.Damaged(x.name, "it has %d Gaussians in its leaves at level %d, but its counts say %d", totals[level], level, count)
		}
	}
	x.counts = totals
	return nil
}
