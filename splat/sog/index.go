package sog

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"math"
	"path"
	"slices"
	"strconv"

	"portico/splat/folder"
	"portico/splat/input"
)

// index is what is kept of a lod-meta.json ("The Streamed SOG Format", 2): no
// tree, only which Gaussians of which chunk each level has.
type index struct {
	name        string
	limits      Limits
	version     int64
	levels      int64
	counts      []int64 // nil in files older than version 1
	environment string
	files       []string
	parts       []part
	// bounded tells whether the root of the tree has a box, which low and high
	// are then.
	bounded   bool
	low, high [3]float64
}

// part is a row of Gaussians of one chunk that belong to one level.
type part struct {
	level, file int32
	// offset is the place of the first one in the file, from its number in the
	// level.
	offset, count, from int64
}

// readIndex reads and checks a lod-meta.json, in which context and limits bound
// time and memory.
func readIndex(ctx context.Context, file folder.File, name string, limits Limits) (*index, error) {
	if file.Size() > limits.IndexBytes {
		return nil, input.Errorf(name, "has %d bytes; at most %d can be read", file.Size(), limits.IndexBytes)
	}
	all := bufio.NewReaderSize(contextReader{ctx, io.NewSectionReader(file, 0, file.Size())}, 1<<16)
	if mark, _ := all.Peek(3); string(mark) == "\xef\xbb\xbf" {
		_, _ = all.Discard(3) // peeked at
	}
	x := &index{name: name, limits: limits, version: 1}
	err := x.parse(&tokens{Decoder: json.NewDecoder(all)})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, input.Errorf(name, "is no index of a streamed SOG: its JSON cannot be read")
	}
	return x, x.check()
}

// parse reads the whole object. Viewers take the last of keys that are given
// twice, and so does this, but for the parts of the tree, which would overlap.
func (x *index) parse(t *tokens) error {
	return t.object(func(key string) (err error) {
		switch key {
		case "version":
			x.version, err = t.count()
		case "lodLevels":
			x.levels, err = t.count()
		case "environment":
			x.environment, err = t.text()
		case "counts":
			x.counts, err = counts(t)
		case "filenames":
			err = x.parseFiles(t)
		case "tree":
			err = x.parseNode(t, true)
		default:
			err = t.skip()
		}
		return err
	})
}

// counts reads how many Gaussians each level has.
func counts(t *tokens) (all []int64, err error) {
	return all, t.array(func() error {
		n, err := t.count()
		if len(all) >= maxLevels {
			return errShape
		}
		all = append(all, n)
		return err
	})
}

// parseFiles reads the names of the chunks, which the parts number.
func (x *index) parseFiles(t *tokens) error {
	x.files = nil
	return t.array(func() error {
		file, err := t.text()
		if len(x.files) >= x.limits.Files {
			return errShape
		}
		x.files = append(x.files, file)
		return err
	})
}

// parseNode reads a node of the tree and those below it. Only the root's bounds
// are kept.
func (x *index) parseNode(t *tokens, root bool) error {
	return t.object(func(key string) error {
		switch {
		case key == "children":
			return t.array(func() error { return x.parseNode(t, false) })
		case key == "lods":
			return t.object(func(level string) error { return x.parsePart(t, level) })
		case key == "bound" && root:
			return x.parseBounds(t)
		}
		return t.skip()
	})
}

// parsePart reads what a leaf has at a level, which is its key.
func (x *index) parsePart(t *tokens, level string) error {
	number, err := strconv.ParseUint(level, 10, 8)
	if err != nil || number >= maxLevels {
		return errShape
	}
	p := part{level: int32(number), file: -1}
	err = t.object(func(key string) (err error) {
		switch key {
		case "file":
			// What is too high for 32 bits is too high for any list of files.
			var file int64
			file, err = t.count()
			p.file = int32(min(file, math.MaxInt32))
		case "offset":
			p.offset, err = t.count()
		case "count":
			p.count, err = t.count()
		default:
			err = t.skip()
		}
		return err
	})
	// Writers of other tools list levels that a leaf has nothing of.
	if p.count > 0 {
		x.parts = append(x.parts, p)
	}
	return err
}

// parseBounds reads the box around everything.
func (x *index) parseBounds(t *tokens) error {
	var low, high []float64
	err := t.object(func(key string) (err error) {
		switch key {
		case "min":
			low, err = corner(t)
		case "max":
			high, err = corner(t)
		default:
			err = t.skip()
		}
		return err
	})
	if len(low) == 3 && len(high) == 3 {
		x.bounded, x.low, x.high = true, [3]float64(low), [3]float64(high)
	}
	return err
}

// corner reads x, y and z.
func corner(t *tokens) (values []float64, err error) {
	return values, t.array(func() error {
		value, err := t.number()
		if len(values) >= 3 {
			return errShape
		}
		values = append(values, value)
		return err
	})
}

// check checks what was read and brings the parts into the order in which their
// Gaussians are numbered: by level, file and offset.
func (x *index) check() error {
	switch {
	case x.version != 1:
		return input.Errorf(x.name, "is a streamed SOG of version %d; only version 1 can be read", x.version)
	case x.levels < 1 || x.levels > maxLevels:
		return input.Errorf(x.name, "has %d levels, not 1 to %d", x.levels, maxLevels)
	case x.counts != nil && int64(len(x.counts)) != x.levels:
		return input.Errorf(x.name, "has %d levels but counts for %d", x.levels, len(x.counts))
	case len(x.parts) == 0:
		return input.Errorf(x.name, "has no Gaussians")
	}
	x.same()
	slices.SortFunc(x.parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.file, b.file), cmp.Compare(a.offset, b.offset))
	})
	if err := x.checkParts(); err != nil {
		return err
	}
	x.join()
	return x.number()
}

// same makes all parts of a chunk refer to it by the same number, however often it
// is named.
func (x *index) same() {
	first, numbers := map[string]int32{}, make([]int32, len(x.files))
	for i, name := range x.files {
		clean := path.Clean(name)
		if _, known := first[clean]; !known {
			first[clean] = int32(i)
		}
		numbers[i] = first[clean]
	}
	for i := range x.parts {
		if p := &x.parts[i]; p.file >= 0 && int(p.file) < len(numbers) {
			p.file = numbers[p.file]
		}
	}
}

// checkParts checks each part, and that none of a level overlap: a small index
// could have any number of Gaussians otherwise.
func (x *index) checkParts() error {
	for i, p := range x.parts {
		switch {
		case int64(p.level) >= x.levels:
			return input.Errorf(x.name, "has a leaf with level %d among %d", p.level, x.levels)
		case p.file < 0 || int(p.file) >= len(x.files):
			return input.Errorf(x.name, "refers to chunk %d among %d", p.file, len(x.files))
		case p.offset > x.limits.Gaussians || p.count > x.limits.Gaussians:
			return input.Errorf(x.name, "has more than the %d Gaussians that can be read", x.limits.Gaussians)
		}
		if i == 0 {
			continue
		}
		if before := x.parts[i-1]; before.level == p.level && before.file == p.file && before.offset+before.count > p.offset {
			return input.Errorf(x.name, "has leaves that share Gaussians of %s", input.Quote(x.files[p.file]))
		}
	}
	return nil
}

// join makes one part of those that follow each other, as all leaves of a chunk
// usually do.
func (x *index) join() {
	// A capture of thousands of leaves then has as many parts as chunks.
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

// number gives each part the number of its first Gaussian in the level, and
// compares the levels with what the file says of them.
func (x *index) number() error {
	totals, all := make([]int64, x.levels), int64(0)
	for i := range x.parts {
		p := &x.parts[i]
		p.from = totals[p.level]
		totals[p.level] += p.count
		if all += p.count; all > x.limits.Gaussians {
			return input.Errorf(x.name, "has more than the %d Gaussians that can be read", x.limits.Gaussians)
		}
	}
	for level, count := range x.counts {
		if count != totals[level] {
			return input.Errorf(x.name, "has %d Gaussians in its leaves at level %d, not %d as it says", totals[level], level, count)
		}
	}
	x.counts = totals
	return nil
}
