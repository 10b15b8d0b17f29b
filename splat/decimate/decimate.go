package decimate

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"portico/splat/gaussian"
)

const (
	// maxBlock is the maximum number of Gaussians in a block. Gaussians of different blocks are not
	// merged. A block takes about 300 bytes of memory for each Gaussian.
	maxBlock = 1 << 16
	// firstCount and laterCount are the maximum numbers of Gaussians that are merged into one, in
	// the first level and in levels that are made from merged Gaussians.
	firstCount, laterCount = 3, 2
)

// Half returns the number of Gaussians that Halve makes from n.
func Half(n int) int { return (n + 1) / 2 }

// Decimator reduces clouds. It reuses its memory and must not be used concurrently. The zero
// value is ready to use.
type Decimator struct {
	// Workers is the number of goroutines that compute; 0 means GOMAXPROCS. The result
	// does not depend on it. Each takes about 20 MB of memory.
	Workers int

	workers []*worker
}

// worker contains the memory of one goroutine.
type worker struct {
	merger       partMerger
	result, rest gaussian.Cloud
}

// task is a block of the source, and the slot of its first Gaussian in the result.
type task struct{ first, end, slot, want int }

// Halve makes result a cloud with half of the Gaussians of source that looks like it. The counts
// divide source into parts, which are halved separately and keep their order: part i has
// Half(counts[i]) Gaussians in the result. Positions must be finite. merged reports that source
// is itself a result of Halve. The only error is the end of the context.
func (d *Decimator) Halve(ctx context.Context, source *gaussian.Cloud, counts []int, result *gaussian.Cloud, merged bool) error {
	tasks, n := plan(counts)
	result.Resize(n, source.Degree)
	return d.run(ctx, source, result, tasks, maxCountOf(merged))
}

// Reduce stores in result a cloud of want Gaussians that looks like source; want is at least 1 and
// at most the number of Gaussians in source. It halves the cloud while at least want Gaussians are
// left, and then reduces it to want. The order of the Gaussians and the errors are the same as for
// Halve. Reduce may overwrite source.
func (d *Decimator) Reduce(ctx context.Context, source *gaussian.Cloud, want int, result *gaussian.Cloud) error {
	merged := false
	for Half(source.Len()) > want {
		if err := d.Halve(ctx, source, []int{source.Len()}, result, merged); err != nil {
			return err
		}
		merged = true
		*source, *result = *result, *source
	}
	n := source.Len()
	blocks := (n + maxBlock - 1) / maxBlock
	var tasks []task
	// Each block gets a share in proportion to its size, so no block needs more Gaussians than it
	// has.
	slot := func(first int) int { return int(int64(want) * int64(first) / int64(n)) }
	for i := range blocks {
		first, end := n*i/blocks, n*(i+1)/blocks
		tasks = append(tasks, task{first, end, slot(first), slot(end) - slot(first)})
	}
	result.Resize(want, source.Degree)
	return d.run(ctx, source, result, tasks, maxCountOf(merged))
}

// maxCountOf returns the maximum number of Gaussians that are merged into one Gaussian of a level.
// merged reports that the level is made from merged Gaussians.
func maxCountOf(merged bool) int {
	if merged {
		return laterCount
	}
	return firstCount
}

// run carries out the tasks. Each merges at most maxCount Gaussians into one. Tasks write disjoint
// slots of the result, so the goroutines need no lock. run returns after all of them have ended,
// even when ctx ends.
func (d *Decimator) run(ctx context.Context, source, result *gaussian.Cloud, tasks []task, maxCount int) error {
	workers := d.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	for len(d.workers) < workers {
		d.workers = append(d.workers, new(worker))
	}
	var next atomic.Int64
	var running sync.WaitGroup
	for _, w := range d.workers[:min(workers, len(tasks))] {
		running.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(tasks) {
					return
				}
				w.mergeTo(source, result, tasks[i], maxCount)
			}
		})
	}
	running.Wait()
	return ctx.Err()
}

// plan divides the parts into blocks. Parts are sorted along a curve, so blocks of
// consecutive Gaussians are compact.
func plan(counts []int) (tasks []task, slots int) {
	first := 0
	for _, count := range counts {
		blocks := (count + maxBlock - 1) / maxBlock
		for i := range blocks {
			start, end := count*i/blocks, count*(i+1)/blocks
			tasks = append(tasks, task{first + start, first + end, slots + Half(start), Half(end) - Half(start)})
		}
		first, slots = first+count, slots+Half(count)
	}
	return tasks, slots
}

// mergeTo reduces a block to the wanted number. If nodes have no neighbours left before that, it
// starts again with the result, in which they have new neighbours.
func (w *worker) mergeTo(source, destination *gaussian.Cloud, t task, maxCount int) {
	part, result := source.Slice(t.first, t.end), destination.Slice(t.slot, t.slot+t.want)
	for {
		left := w.merger.mergeTo(&part, t.want, maxCount)
		if left == t.want {
			w.merger.write(&part, &result)
			return
		}
		w.rest.Resize(left, source.Degree)
		w.merger.write(&part, &w.rest)
		w.rest, w.result = w.result, w.rest
		part = w.result.Slice(0, left)
	}
}
