package ply

import (
	"context"
	"math"
	"slices"

	"portico/splat/records"
)

// axisNames are the properties of positions.
var axisNames = [3]string{"x", "y", "z"}

// The rule for an offset. Coordinates of a map projection are hundreds to thousands of kilometres
// from the origin, where a float32 has steps of centimetres to half a metre.
const (
	offsetRows = 1024 // the rows at the start of the file that decide
	// farAway is the distance from which a float32 has steps of more than a millimetre, in metres.
	// tooFar is farther than any place on the Earth.
	farAway, tooFar = 10_000, 1e8
	// minShare is how many times farther from the origin than from each other the positions are.
	minShare = 100
	// wholeOffset is the unit of offsets in metres, so that people recognise the coordinates.
	wholeOffset = 1000
)

// findOffset sets the offset of the file by the medians of its first positions, which a few
// outliers do not move.
func (f *File) findOffset(ctx context.Context, e *element) error {
	values, err := f.firstPositions(ctx, e)
	if err != nil {
		return err
	}
	for axis, all := range values {
		middle := median(all)
		if distance := math.Abs(middle); distance < farAway || distance > tooFar {
			continue
		}
		for i, v := range all {
			all[i] = math.Abs(v - middle)
		}
		if math.Abs(middle) > minShare*median(all) {
			f.facts.Offset[axis] = math.Round(middle/wholeOffset) * wholeOffset
		}
	}
	return nil
}

// firstPositions returns the finite coordinates of the first rows, for each axis.
func (f *File) firstPositions(ctx context.Context, e *element) (values [3][]float64, err error) {
	add := func(axis int, value float64) {
		if isFinite(value) {
			values[axis] = append(values[axis], value)
		}
	}
	stride, fixed := e.stride()
	offset, known := f.header.offset(e)
	if f.header.encoding != Text && fixed && known {
		var fields [3]field
		for axis, name := range axisNames {
			fields[axis] = e.field(name, f.header.encoding)
		}
		t := records.Table{File: f.file, Offset: offset, Stride: int(stride), Count: int(min(offsetRows, e.count))}
		err = t.Scan(ctx, func(_ int, rows []byte) error {
			for ; len(rows) > 0; rows = rows[stride:] {
				for axis := range fields {
					add(axis, fields[axis].exactValue(rows))
				}
			}
			return nil
		})
		return values, err
	}
	axes := map[int]int{}
	for axis, name := range axisNames {
		axes[e.index(name)] = axis
	}
	err = f.walkFirst(ctx, e, offsetRows, func(property int, value float64) {
		if axis, ok := axes[property]; ok {
			add(axis, value)
		}
	}, nil)
	return values, err
}

// median sorts the values and returns the one in the middle, or 0 if there are none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}
