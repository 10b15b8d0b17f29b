package records

import (
	"context"
	"io"

	"portico/splat/folder"
)

// Table is a part of a file with rows of the same size. It is safe for concurrent use: each
// call allocates its own block.
type Table struct {
	File   io.ReaderAt
	Offset int64 // of the first row, in bytes
	Stride int   // bytes, at least one
	Count  int   // rows
}

// The sizes of reads, in bytes. A block is large enough for an object store, where each read is
// a request, and small enough for many goroutines. Rows with at most gapSize between them are
// read together: reading these bytes takes less time than another request.
const (
	blockSize = 1 << 20
	gapSize   = 32 << 10
)

// Scan reads all rows in order and calls visit with blocks of whole rows, which are
// valid during the call.
func (t Table) Scan(ctx context.Context, visit func(first int, rows []byte) error) error {
	perBlock := max(blockSize/t.Stride, 1)
	block := make([]byte, min(perBlock, t.Count)*t.Stride)
	for first := 0; first < t.Count; first += perBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := block[:min(perBlock, t.Count-first)*t.Stride]
		if err := folder.ReadFull(t.File, rows, t.Offset+int64(first)*int64(t.Stride)); err != nil {
			return err
		}
		if err := visit(first, rows); err != nil {
			return err
		}
	}
	return nil
}

// Gather reads the requested rows in the order of the file and calls visit with each
// row, which is valid during the call, and its index in the request.
func (t Table) Gather(ctx context.Context, requests Requests, visit func(slot int, row []byte)) error {
	var block []byte
	for len(requests) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		run := t.run(requests)
		first, last := requests[0].number(), requests[run-1].number()
		size := (last - first + 1) * t.Stride
		if cap(block) < size {
			block = make([]byte, size)
		}
		block = block[:size]
		if err := folder.ReadFull(t.File, block, t.Offset+int64(first)*int64(t.Stride)); err != nil {
			return err
		}
		for _, r := range requests[:run] {
			at := (r.number() - first) * t.Stride
			visit(r.slot(), block[at:at+t.Stride:at+t.Stride])
		}
		requests = requests[run:]
	}
	return nil
}

// run returns how many of the next rows to read together. Equal rows count as neighbours, so
// that a row that is requested twice is read once.
func (t Table) run(requests Requests) int {
	first := requests[0].number()
	n := 1
	for n < len(requests) {
		last, next := requests[n-1].number(), requests[n].number()
		if (next-last-1)*t.Stride > gapSize || (next-first+1)*t.Stride > blockSize {
			break
		}
		n++
	}
	return n
}
