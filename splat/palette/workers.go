package palette

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// blockSize is how many items a worker takes at once: some milliseconds of work,
// after which it looks whether it has been called off.
const blockSize = 512

// workers does work in blocks on a number of goroutines and tells how far it is.
type workers struct {
	count int
	tell  *teller
}

// newWorkers returns so many workers, or as many as run at once if count is 0.
func newWorkers(count int, t *teller) *workers {
	if count <= 0 {
		count = runtime.GOMAXPROCS(0)
	}
	return &workers{count, t}
}

// blocks calls do for 0 to n in blocks, with the number of the worker, below
// w.count. It returns the context's error if it ends before the work does.
func (w *workers) blocks(ctx context.Context, n int, do func(from, to, worker int)) error {
	total := (n + blockSize - 1) / blockSize
	return w.each(ctx, total, func(block, worker int) {
		do(block*blockSize, min(n, (block+1)*blockSize), worker)
		w.tell.add(min(n, (block+1)*blockSize) - block*blockSize)
	})
}

// each calls do for every number below n, with that of the worker, and returns
// like blocks. Which worker gets which number is chance, so what do computes must
// not depend on it.
func (w *workers) each(ctx context.Context, n int, do func(i, worker int)) error {
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
