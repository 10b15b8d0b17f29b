package sog

import (
	"runtime"
	"sync"

	"portico/splat/palette"
)

// Options says how a capture is written. The zero value is right.
type Options struct {
	// Workers is how many goroutines compute, 0 for GOMAXPROCS. What is written
	// does not depend on it. Each further one takes some 25 MB of memory.
	Workers int
	// MaxDegree is the highest degree of harmonics that is written, 1 to 3; 0
	// for 3, all that the format knows, and -1 for none, which takes a small part
	// of the time and half of the space.
	MaxDegree int
	// Rounds is how long the palettes of harmonics are refined, see
	// palette.Options; 0 for its default.
	Rounds int
	// Progress is told how much of the work is done, at least every few seconds
	// in all but the largest bundles. done never falls, total stays the same,
	// and message says what is being done: "encoding level 1, chunk 3 of 9". It
	// is called by one goroutine at a time, which waits for it. It may be nil.
	Progress func(done, total int64, message string)
}

// Result is what was written.
type Result struct {
	// Levels holds the number of Gaussians of each level.
	Levels []int64
	// Environment is the number of Gaussians around the capture.
	Environment int64
	// Degree is that of the harmonics.
	Degree int
	// Dropped is how many Gaussians were left out because their position is no
	// number.
	Dropped int64
	// Low and High are the corners of the box around the centres.
	Low, High [3]float64
	// Files and Bytes are how much was written.
	Files int
	Bytes int64
}

// workers returns how many goroutines compute.
func (o Options) workers() int {
	if o.Workers <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return o.Workers
}

// degree returns which harmonics of this degree are written.
func (o Options) degree(degree int) int {
	switch {
	case o.MaxDegree < 0:
		return 0
	case o.MaxDegree == 0:
		return min(degree, maxDegree)
	default:
		return min(degree, o.MaxDegree, maxDegree)
	}
}

// palette returns the options of a palette that tells its own progress.
func (o Options) palette(progress func(float64)) palette.Options {
	return palette.Options{Workers: o.workers(), Rounds: o.Rounds, Progress: progress}
}

// What a Gaussian costs in each stage: about the CPU time, in units of 25
// nanoseconds.
const (
	costPosition  = 1
	costTree      = 3
	costRead      = 4
	costImage     = 4 // each of five
	costHarmonics = 300
)

// cost returns what the stages of a chunk cost for each Gaussian.
func cost(degree int) int64 {
	if degree == 0 {
		return costRead + 5*costImage
	}
	return costRead + 5*costImage + costHarmonics
}

// progress adds up the work that several goroutines have done.
type progress struct {
	mu          sync.Mutex
	to          func(done, total int64, message string)
	done, total int64
}

// add tells that more is done. Costs are estimates of the time, so done rises
// about evenly; where nothing is done for a while, it is called with 0 to show that
// the work goes on.
func (p *progress) add(more int64, message string) {
	if p.to == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += more
	p.to(min(p.done, p.total), p.total, message)
}
