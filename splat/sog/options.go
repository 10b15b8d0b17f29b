package sog

import (
	"runtime"
	"sync"

	"portico/splat/palette"
)

// Options configures the writers. The zero value is a good default.
type Options struct {
	// Workers is the number of goroutines that compute; 0 means GOMAXPROCS. The
	// output does not depend on it. Each worker takes about 25 MB of memory.
	Workers int
	// MaxDegree is the maximum degree of harmonics, 1 to 3. Zero means 3, the
	// format's maximum. Negative means no harmonics, which takes a small part of the
	// time and half of the space.
	MaxDegree int
	// Rounds is the number of rounds that refine the palettes of harmonics; see
	// palette.Options. Zero means its default.
	Rounds int
	// Model is the renderer that the Gaussians were trained for. Every chunk names it.
	Model Model
	// Scratch is a folder for a temporary file, which WriteStreamed makes if the source's
	// order is not an order in space: each chunk would have to be gathered from all over
	// it, which takes hours for tens of millions of Gaussians. The file has 60 bytes for
	// each Gaussian of a level, or 240 with harmonics of degree 3, and no name. Empty means
	// none; a full disk costs time only.
	Scratch string
	// Progress is called as the work proceeds, at least every few seconds except
	// with the largest bundles. Done never falls, total stays the same, and message
	// names the current step: "Encoding level 1, chunk 3 of 9". Calls do not
	// overlap, and the work waits for them. Nil means no reports.
	Progress func(done, total int64, message string)
}

// Result describes a written capture.
type Result struct {
	// Levels contains the number of Gaussians of each level.
	Levels []int64
	// Environment is the number of Gaussians around the capture.
	Environment int64
	// Degree is the degree of the harmonics that were written, 0 to 3.
	Degree int
	// Dropped is the number of Gaussians that were left out because they are broken
	// (see gaussian.LeaveOut).
	Dropped int64
	// Low and High are the corners of the box around the centres.
	Low, High [3]float64
	// Files and Bytes are the number of written files and their total size.
	Files int
	Bytes int64
}

// workers returns the number of goroutines that compute.
func (o Options) workers() int {
	if o.Workers <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return o.Workers
}

// writtenDegree returns the degree that is written for a source with the given degree.
func (o Options) writtenDegree(degree int) int {
	switch {
	case o.MaxDegree < 0:
		return 0
	case o.MaxDegree == 0:
		return min(degree, maxDegree)
	default:
		return min(degree, o.MaxDegree, maxDegree)
	}
}

// palette returns the options for building a palette.
func (o Options) palette(progress func(float64)) palette.Options {
	return palette.Options{Workers: o.workers(), Rounds: o.Rounds, Progress: progress}
}

// The cost of a Gaussian in each stage: the approximate CPU time in units of 25
// nanoseconds. Only the proportions matter: with them, progress rises evenly.
const (
	costPosition  = 1
	costTree      = 3
	costRead      = 4
	costImage     = 4 // for each of five images
	costHarmonics = 300
	costMerge     = 120 // for each Gaussian of the finer level
)

// chunkCost returns the cost per Gaussian of reading and encoding a chunk.
func chunkCost(degree int) int64 {
	if degree == 0 {
		return costRead + 5*costImage
	}
	return costRead + 5*costImage + costHarmonics
}

// progress adds up the work of several goroutines.
type progress struct {
	mu          sync.Mutex
	report      func(done, total int64, message string)
	done, total int64
}

// add reports that more work is done. Costs approximate time, so that done rises evenly. Before a
// long step, callers add 0 to show that the work continues. report is called while the lock is
// held, so calls do not overlap.
func (p *progress) add(more int64, message string) {
	if p.report == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += more
	p.report(min(p.done, p.total), p.total, message)
}
