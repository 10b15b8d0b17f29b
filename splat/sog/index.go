package sog

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"

	"portico/splat/folder"
	"portico/splat/input"
)

// unknownLevels is the number of levels of an index that does not have one.
const unknownLevels = -1

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
	x := &index{name: name, limits: limits, version: 1, levels: unknownLevels}
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
			x.environment, _, err = t.optionalText()
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
	// splat-transform writes null where a box has no finite corner.
	if isCorner(low) && isCorner(high) {
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

// isCorner reports whether values are three finite coordinates.
func isCorner(values []float64) bool {
	return len(values) == 3 && !slices.ContainsFunc(values, math.IsNaN)
}
