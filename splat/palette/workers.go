package palette

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// blockSize is the number of items that a worker takes at a time: some milliseconds of
// work, after which it checks the context.
const blockSize = 512

// workers runs work in blocks on several goroutines and reports its progress.
type workers struct {
	count    int
	progress *progress
}

// newWorkers returns count workers; 0 means GOMAXPROCS.
func newWorkers(count int, t *progress) *workers {
	if count <= 0 {
		count = runtime.GOMAXPROCS(0)
	}
	return &workers{count, t}
}

// forEachBlock calls do for blocks that cover 0 to n, with the index of the worker, which is
// below w.count. If the context ends before the work, it returns the context's error.
func (w *workers) forEachBlock(ctx context.Context, n int, do func(from, to, worker int)) error {
	total := (n + blockSize - 1) / blockSize
	return w.forEach(ctx, total, func(block, worker int) {
		do(block*blockSize, min(n, (block+1)*blockSize), worker)
		w.progress.add(min(n, (block+1)*blockSize) - block*blockSize)
	})
}

// forEach calls do for every number below n, with the index of the worker, and returns
// like forEachBlock. The assignment of numbers to workers is random, so results must not
// depend on it.
//
// A worker takes the next number when it has finished the one before, so a slow number does not
// delay the others.
func (w *workers) forEach(ctx context.Context, n int, do func(i, worker int)) error {
	var next atomic.Int64
	var group sync.WaitGroup
	for worker := range min(w.count, n) {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i, worker)
			}
		})
	}
	group.Wait()
	return ctx.Err()
}
