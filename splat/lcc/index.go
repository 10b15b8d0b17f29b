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

// Sizes of records, in bytes (white paper, sections "index.bin" and "data.bin").
const (
	recordSize    = 32 // of data.bin
	harmonicsSize = 64 // of shcoef.bin, for each record of data.bin
	unitHead      = 4  // of index.bin: the cell of a unit
	unitLevel     = 16 // of index.bin, per level: count, offset and size
)

const (
	// maxIndexBytes is the maximum size of the index. Units are tens of metres wide, so even a
	// city with several levels has a few thousand units: less than a megabyte.
	maxIndexBytes = 64 << 20
	// maxSplats is the maximum number of splats in a level, so that their numbers fit into 32
	// bits. This many take 32 GiB of data.bin.
	maxSplats = 1 << 30
	// unitsBetweenChecks is how many units are read between two checks of the
	// context.
	unitsBetweenChecks = 1 << 14
)

// unit is the part of a level in one cell.
type unit struct {
	// offset is the offset of the unit's first record in data.bin. The other records follow
	// without gaps.
	offset int64
	first  uint32 // number of its first splat within the level
	x, y   uint16 // the cell, counted from the minimum of the bounding box
}

// level is one level of detail: its units that are not empty, in the order of the index.
//
// A number of a splat selects its unit by first, and within the unit its record:
//
//	units    first    count    numbers
//	0        0        300      0 to 299
//	1        300      120      300 to 419
//	2        420      80       420 to 499
type level struct {
	units []unit
	count uint32
}

// end returns the number after the last splat of the i-th unit.
func (l *level) end(i int) uint32 {
	if i+1 < len(l.units) {
		return l.units[i+1].first
	}
	return l.count
}

// unitOf returns the index of the unit with the splat. number must be less than count.
func (l *level) unitOf(number uint32) int {
	i, found := slices.BinarySearchFunc(l.units, number, func(u unit, n uint32) int { return cmp.Compare(u.first, n) })
	if found {
		return i
	}
	return i - 1
}

// index is the state of reading index.bin.
type index struct {
	manifest *manifest
	levels   []level
	// limit is how many bytes of data.bin the units may use: all bytes, or the bytes of the
	// records that have harmonics in shcoef.bin.
	limit int64
	// cellsX and cellsY are the number of cells in the bounding box.
	cellsX, cellsY float64
}

// indexName is the file that says where the levels of each cell are.
const indexName = "index.bin"

// readIndex reads the index. It checks that the units do not overlap, that they are within the
// first limit bytes of data.bin, and that their counts agree with the manifest.
func readIndex(ctx context.Context, files folder.Reader, m *manifest, limit int64) ([]level, error) {
	f, err := open(ctx, files, indexName)
	if err != nil {
		return nil, err
	}
	x := &index{manifest: m, levels: make([]level, m.TotalLevel), limit: limit}
	// Splats on the maximum edge of the box are in an additional cell.
	x.cellsX = math.Floor((m.BoundingBox.Max[0]-m.BoundingBox.Min[0])/m.CellLengthX) + 1
	x.cellsY = math.Floor((m.BoundingBox.Max[1]-m.BoundingBox.Min[1])/m.CellLengthY) + 1
	if err := errors.Join(x.read(ctx, f), f.Close()); err != nil {
		return nil, err
	}
	if err := x.check(); err != nil {
		return nil, err
	}
	// Exporters may write an empty coarsest level, which shows nothing.
	return slices.DeleteFunc(x.levels, func(l level) bool { return l.count == 0 }), nil
}

// read reads all units, the cells of the capture. Each has a record of fixed size with its levels.
func (x *index) read(ctx context.Context, f folder.File) error {
	record := make([]byte, unitHead+unitLevel*len(x.levels))
	if f.Size() > maxIndexBytes {
		return input.Errorf(indexName, "is too large: it has %d bytes, at most %d can be read", f.Size(), maxIndexBytes)
	}
	if f.Size()%int64(len(record)) != 0 {
		return input.Damaged(indexName, "it has %d bytes, which is not a multiple of the %d of a unit with %d levels", f.Size(), len(record), len(x.levels))
	}
	r := bufio.NewReaderSize(io.NewSectionReader(f, 0, f.Size()), 1<<16)
	for i := range f.Size() / int64(len(record)) {
		if i%unitsBetweenChecks == 0 && ctx.Err() != nil {
			return readError(ctx.Err(), indexName)
		}
		if _, err := io.ReadFull(r, record); err != nil {
			return readError(err, indexName)
		}
		if err := x.add(i, record); err != nil {
			return err
		}
	}
	return nil
}

// add decodes the record of the i-th unit (white paper, section "index.bin") and adds it to the
// levels in which it has splats. It refuses a unit outside of the bounding box or of the data.
func (x *index) add(i int64, record []byte) error {
	le := binary.LittleEndian
	u := unit{x: le.Uint16(record), y: le.Uint16(record[2:])}
	if float64(u.x) > x.cellsX || float64(u.y) > x.cellsY {
		return input.Damaged(indexName, "unit %d is in the cell %d, %d, outside of the bounding box", i, u.x, u.y)
	}
	for n := range x.levels {
		l, b := &x.levels[n], record[unitHead+unitLevel*n:]
		count, offset, size := le.Uint32(b), le.Uint64(b[4:]), le.Uint32(b[12:])
		if uint64(size) != recordSize*uint64(count) {
			return input.Damaged(indexName, "unit %d claims %d Gaussians in %d bytes at level %d", i, count, size, n)
		}
		if count == 0 {
			continue
		}
		if offset > uint64(x.limit) || uint64(size) > uint64(x.limit)-offset {
			return input.Damaged(indexName, "unit %d of level %d ends after data.bin or shcoef.bin", i, n)
		}
		if int64(l.count)+int64(count) > x.manifest.Splats[n] {
			return x.countMismatch(n)
		}
		u.offset, u.first = int64(offset), l.count
		l.units, l.count = append(l.units, u), l.count+count
	}
	return nil
}

// countMismatch returns the error about a level whose number of splats differs from the
// manifest. add checks this before it adds a unit, so that a hostile index cannot overflow the
// count.
func (x *index) countMismatch(n int) error {
	return input.Damaged(indexName, "it does not have the %d Gaussians of level %d that the manifest has", x.manifest.Splats[n], n)
}

// check compares the counts with the manifest and refuses units that share records. With shared
// records a small file could cause any amount of work.
func (x *index) check() error {
	type span struct{ from, to int64 }
	total, spans := 0, []span{}
	for n := range x.levels {
		l := &x.levels[n]
		if int64(l.count) != x.manifest.Splats[n] {
			return x.countMismatch(n)
		}
		total += len(l.units)
	}
	if total == 0 {
		return input.Errorf(indexName, "has no Gaussians").Advise("Export the capture again")
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
			return input.Damaged(indexName, "it has units that overlap at byte %d of data.bin", spans[i].from)
		}
	}
	return nil
}
