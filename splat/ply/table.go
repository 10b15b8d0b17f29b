package ply

import (
	"context"
	"io"
)

// table is an element whose rows all have the same size. Reading does not change it,
// so several goroutines may read at once; each call has a block of its own.
type table struct {
	file   io.ReaderAt
	offset int64 // of the first row, in bytes
	stride int   // bytes, at least one
	count  int   // rows
}

// Sizes of reads, in bytes. A block is large enough for object storage, where each
// read is a request, and small enough for many goroutines at once. Rows with at most
// a gap between them are read together: the extra bytes cost less than a request.
const (
	blockSize = 1 << 20
	gapSize   = 32 << 10
)

// scan reads all rows in order and calls visit with blocks of whole rows, which are
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

// gather reads the requested rows in the order of the file and calls visit with each
// row, which is valid during the call, and its index in the request.
func (t table) gather(ctx context.Context, o requests, visit func(slot int, row []byte)) error {
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

// run returns how many of the next rows to read together.
func (t table) run(o requests) int {
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
