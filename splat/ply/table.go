package ply

import (
	"context"
	"io"
)

// table is the rows of an element that all have the same size. It holds nothing that
// reading changes, so any number of goroutines may read at once, with a block each.
type table struct {
	file   io.ReaderAt
	offset int64 // of the first row, in bytes
	stride int   // bytes, at least one
	count  int   // rows
}

// Reading is done in blocks, large enough for files in object storage and small
// enough to be read by many at once, in bytes. Rows that are no further apart than
// a gap are read together.
const (
	blockSize = 1 << 20
	gapSize   = 32 << 10
)

// scan reads all rows in order and gives them in blocks of whole rows, which are
// valid during the call.
func (t table) scan(ctx context.Context, visit func(first int, rows []byte) error) error {
	perBlock := max(blockSize/t.stride, 1)
	block := make([]byte, min(perBlock, t.count)*t.stride)
	for first := 0; first < t.count; first += perBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := block[:min(perBlock, t.count-first)*t.stride]
		if err := readAt(t.file, rows, t.offset+int64(first)*int64(t.stride)); err != nil {
			return err
		}
		if err := visit(first, rows); err != nil {
			return err
		}
	}
	return nil
}

// gather reads rows by their numbers, in the order of the file, and gives each with
// its place in the request. The row is valid during the call.
func (t table) gather(ctx context.Context, o order, visit func(slot int, row []byte)) error {
	var block []byte
	for len(o) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		run := t.run(o)
		first, last := o[0].number(), o[run-1].number()
		size := (last - first + 1) * t.stride
		if cap(block) < size {
			block = make([]byte, size)
		}
		block = block[:size]
		if err := readAt(t.file, block, t.offset+int64(first)*int64(t.stride)); err != nil {
			return err
		}
		for _, w := range o[:run] {
			at := (w.number() - first) * t.stride
			visit(w.slot(), block[at:at+t.stride:at+t.stride])
		}
		o = o[run:]
	}
	return nil
}

// run returns how many of the next rows are read together: as long as the bytes between
// two of them cost less than another request would.
func (t table) run(o order) int {
	first := o[0].number()
	n := 1
	for n < len(o) {
		last, next := o[n-1].number(), o[n].number()
		if (next-last-1)*t.stride > gapSize || (next-first+1)*t.stride > blockSize {
			break
		}
		n++
	}
	return n
}
