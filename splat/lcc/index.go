package lcc

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"

	"portico/splat/folder"
	"portico/splat/input"
)

// Sizes of records, in bytes (white paper, section 2).
const (
	recordSize    = 32 // of data.bin
	harmonicsSize = 64 // of shcoef.bin, for each record of data.bin
	unitHead      = 4  // the cell of a unit
	unitLevel     = 16 // and of each level: count, offset and size
)

const (
	// maxIndexBytes bounds the index. Units are tens of metres wide, so that
	// even a city of several levels has some thousands: less than a megabyte.
	maxIndexBytes = 64 << 20
	// maxSplats bounds a level, so that numbers fit into 32 bits with room to
	// spare. It is 32 GiB of data.bin.
	maxSplats = 1 << 30
	// unitsBetweenChecks is how many units are read before the context is
	// looked at.
	unitsBetweenChecks = 1 << 14
)

// unit is the part of a level that lies in one cell.
type unit struct {
	// offset is that of its first record in data.bin, in bytes. Others follow
	// without a gap.
	offset int64
	first  uint32 // number of its first splat in the level
	x, y   uint16 // the cell, counted from the minimum of the bounding box
}

// level is one level of detail: its units in the order of the index, without the
// empty ones.
type level struct {
	units []unit
	count uint32
}

// end returns the number behind the last splat of the i-th unit.
func (l *level) end(i int) uint32 {
	if i+1 < len(l.units) {
		return l.units[i+1].first
	}
	return l.count
}

// unitOf returns the index of the unit that holds a splat of the level.
func (l *level) unitOf(number uint32) int {
	i, found := slices.BinarySearchFunc(l.units, number, func(u unit, n uint32) int { return cmp.Compare(u.first, n) })
	if found {
		return i
	}
	return i - 1
}

// index is index.bin while it is being read.
type index struct {
	manifest *manifest
	levels   []level
	// limit is how many bytes of data.bin the units may use: all of it, or what
	// shcoef.bin has harmonics for.
	limit int64
	// cellsX and cellsY are how many cells the bounding box has.
	cellsX, cellsY float64
}

const indexName = "index.bin"

// readIndex reads the index and checks that its units lie apart and inside of
// the first limit bytes of data.bin, and are as many as the manifest says.
func readIndex(ctx context.Context, files folder.Reader, m *manifest, limit int64) ([]level, error) {
	f, err := open(ctx, files, indexName)
	if err != nil {
		return nil, err
	}
	x := &index{manifest: m, levels: make([]level, m.TotalLevel), limit: limit}
	// Splats may lie on the far edge of the box, and so in one cell more.
	x.cellsX = math.Floor((m.BoundingBox.Max[0]-m.BoundingBox.Min[0])/m.CellLengthX) + 1
	x.cellsY = math.Floor((m.BoundingBox.Max[1]-m.BoundingBox.Min[1])/m.CellLengthY) + 1
	if err := errors.Join(x.read(ctx, f), f.Close()); err != nil {
		return nil, err
	}
	if err := x.check(); err != nil {
		return nil, err
	}
	// An empty level shows nothing; exporters may leave one at the coarse end.
	return slices.DeleteFunc(x.levels, func(l level) bool { return l.count == 0 }), nil
}

// read reads all units.
func (x *index) read(ctx context.Context, f folder.File) error {
	record := make([]byte, unitHead+unitLevel*len(x.levels))
	if f.Size() > maxIndexBytes {
		return input.Errorf(indexName, "is too large: %d bytes, at most %d", f.Size(), maxIndexBytes)
	}
	if f.Size()%int64(len(record)) != 0 {
		return input.Errorf(indexName, "has %d bytes, which is no multiple of the %d that a unit of %d levels takes", f.Size(), len(record), len(x.levels))
	}
	r := bufio.NewReaderSize(io.NewSectionReader(f, 0, f.Size()), 1<<16)
	for i := range f.Size() / int64(len(record)) {
		if i%unitsBetweenChecks == 0 && ctx.Err() != nil {
			return wrap(ctx.Err(), indexName)
		}
		if _, err := io.ReadFull(r, record); err != nil {
			return wrap(err, indexName)
		}
		if err := x.add(i, record); err != nil {
			return err
		}
	}
	return nil
}

// add adds the i-th unit to the levels.
func (x *index) add(i int64, record []byte) error {
	le := binary.LittleEndian
	u := unit{x: le.Uint16(record), y: le.Uint16(record[2:])}
	if float64(u.x) > x.cellsX || float64(u.y) > x.cellsY {
		return input.Errorf(indexName, "has a unit (%d) in the cell %d, %d, outside of the bounding box", i, u.x, u.y)
	}
	for n := range x.levels {
		l, b := &x.levels[n], record[unitHead+unitLevel*n:]
		count, offset, size := le.Uint32(b), le.Uint64(b[4:]), le.Uint32(b[12:])
		if uint64(size) != recordSize*uint64(count) {
			return input.Errorf(indexName, "contradicts itself: unit %d has %d splats in %d bytes at level %d", i, count, size, n)
		}
		if count == 0 {
			continue
		}
		if offset > uint64(x.limit) || uint64(size) > uint64(x.limit)-offset {
			return input.Errorf(indexName, "has a unit (%d, level %d) that reaches beyond the end of data.bin or shcoef.bin", i, n)
		}
		if int64(l.count)+int64(count) > x.manifest.Splats[n] {
			return x.miscounted(n)
		}
		u.offset, u.first = int64(offset), l.count
		l.units, l.count = append(l.units, u), l.count+count
	}
	return nil
}

// miscounted refuses an index that has more or fewer splats at a level than the
// manifest tells. It is noticed as soon as there are too many, so that a hostile
// index cannot overflow the count.
func (x *index) miscounted(n int) error {
	return input.Errorf(indexName, "does not have the %d splats of level %d that the manifest tells", x.manifest.Splats[n], n)
}

// check compares the counts with those of the manifest, and looks for records
// that belong to two units: with those, a small file could ask for any amount of
// work.
func (x *index) check() error {
	type span struct{ from, to int64 }
	total, spans := 0, []span{}
	for n := range x.levels {
		l := &x.levels[n]
		if int64(l.count) != x.manifest.Splats[n] {
			return x.miscounted(n)
		}
		total += len(l.units)
	}
	if total == 0 {
		return input.Errorf(indexName, "has no splats at all")
	}
	spans = slices.Grow(spans, total)
	for n := range x.levels {
		l := &x.levels[n]
		for i, u := range l.units {
			spans = append(spans, span{u.offset, u.offset + recordSize*int64(l.end(i)-u.first)})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from < spans[i-1].to {
			return input.Errorf(indexName, "has units that overlap in data.bin, at byte %d", spans[i].from)
		}
	}
	return nil
}
