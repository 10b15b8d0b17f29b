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

// index is the content of a lod-meta.json that is kept ("The Streamed SOG Format", 2):
// the ranges of each level's Gaussians in the chunks, without the tree. The tree serves
// viewers, which choose a level for each leaf; converting needs each level as a whole.
//
// The JSON of a lod-meta.json, of which the marked keys are read:
//
//	version      *  1
//	count, counts   Gaussians of all levels, and of each (* counts)
//	lodLevels    *  number of levels
//	environment  *  name of the environment's meta.json
//	filenames    *  names of the chunks' manifests
//	tree         *  {bound: {min, max}, children: [...]} or {bound, lods: {"0": {file, offset, count}}}
//
// Numbers in lods are the index in filenames, and a range of the Gaussians of that chunk.
type index struct {
	name        string
	limits      Limits
	version     int64
	levels      int64
	counts      []int64 // nil in files older than version 1
	environment string
	files       []string
	parts       []part
	// hasBounds reports whether the root of the tree has a box, from low to high.
	hasBounds bool
	low, high [3]float64
}

// part is a range of a chunk's Gaussians that belongs to one level.
type part struct {
	level, file int32
	// offset is the index of the first Gaussian in the file, and first its index in
	// the level.
	offset, count, first int64
}

// readIndex reads and checks a lod-meta.json.
func readIndex(ctx context.Context, file folder.File, name string, limits Limits) (*index, error) {
	if file.Size() > limits.IndexBytes {
		return nil, input.Errorf(name, "has %d bytes; at most %d can be read", file.Size(), limits.IndexBytes).
			Advise(adviceToExportInParts)
	}
	all := bufio.NewReaderSize(contextReader{ctx, io.NewSectionReader(file, 0, file.Size())}, 1<<16)
	if mark, _ := all.Peek(3); string(mark) == "\xef\xbb\xbf" {
		_, _ = all.Discard(3) // cannot fail after Peek
	}
	x := &index{name: name, limits: limits, version: 1, levels: unknownLevels}
	err := x.read(&tokens{Decoder: json.NewDecoder(all)})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, input.Errorf(name, "is not the index of a streamed SOG: its JSON cannot be read").Advise(adviceToExportAgain)
	}
	return x, x.check()
}

// read reads the whole object. Of duplicate keys the last counts, as in viewers. Parts of
// duplicate trees are all kept, and rejected later because they overlap.
func (x *index) read(t *tokens) error {
	return t.readObject(func(key string) (err error) {
		switch key {
		case "version":
			x.version, err = t.count()
		case "lodLevels":
			x.levels, err = t.count()
		case "environment":
			x.environment, _, err = t.optionalText()
		case "counts":
			x.counts, err = readCounts(t)
		case "filenames":
			err = x.readFiles(t)
		case "tree":
			err = x.readNode(t, true)
		default:
			err = t.skip()
		}
		return err
	})
}

// readCounts reads the number of Gaussians of each level, the finest first. More than maxLevels
// levels are an error.
func readCounts(t *tokens) (all []int64, err error) {
	return all, t.readArray(func() error {
		n, err := t.count()
		if len(all) >= maxLevels {
			return errUnexpectedValue
		}
		all = append(all, n)
		return err
	})
}

// readFiles reads the names of the chunks, to which the parts refer by index.
func (x *index) readFiles(t *tokens) error {
	x.files = nil
	return t.readArray(func() error {
		file, err := t.text()
		if len(x.files) >= x.limits.Files {
			return errUnexpectedValue
		}
		x.files = append(x.files, file)
		return err
	})
}

// readNode reads a node of the tree and its descendants. Only the root's bounds are kept.
func (x *index) readNode(t *tokens, root bool) error {
	return t.readObject(func(key string) error {
		switch {
		case key == "children":
			return t.readArray(func() error { return x.readNode(t, false) })
		case key == "lods":
			return t.readObject(func(level string) error { return x.readPart(t, level) })
		case key == "bound" && root:
			return x.readBounds(t)
		}
		return t.skip()
	})
}

// readPart reads a leaf's part of a level, whose number is the key.
func (x *index) readPart(t *tokens, level string) error {
	number, err := strconv.ParseUint(level, 10, 8)
	if err != nil || number >= maxLevels {
		return errUnexpectedValue
	}
	p := part{level: int32(number), file: -1}
	err = t.readObject(func(key string) (err error) {
		switch key {
		case "file":
			// Clamping is safe, because no list of files is that long.
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
	// Other tools also list levels in which a leaf is empty.
	if p.count > 0 {
		x.parts = append(x.parts, p)
	}
	return err
}

// readBounds reads the box around the whole capture.
func (x *index) readBounds(t *tokens) error {
	var low, high []float64
	err := t.readObject(func(key string) (err error) {
		switch key {
		case "min":
			low, err = readPoint(t)
		case "max":
			high, err = readPoint(t)
		default:
			err = t.skip()
		}
		return err
	})
	// splat-transform writes null for a corner that is not finite.
	if isCorner(low) && isCorner(high) {
		x.hasBounds, x.low, x.high = true, [3]float64(low), [3]float64(high)
	}
	return err
}

// readPoint reads x, y and z.
func readPoint(t *tokens) (values []float64, err error) {
	return values, t.readArray(func() error {
		value, err := t.number()
		if len(values) >= 3 {
			return errUnexpectedValue
		}
		values = append(values, value)
		return err
	})
}

// isCorner reports whether values are three finite coordinates.
func isCorner(values []float64) bool {
	return len(values) == 3 && !slices.ContainsFunc(values, math.IsNaN)
}
