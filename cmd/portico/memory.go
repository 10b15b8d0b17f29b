package main

import (
	"math"
	"runtime/debug"

	"portico/splat"
)

// What a conversion needs, in bytes: for each Gaussian of all levels, and besides,
// for the chunks that are worked on, without and with harmonics.
const (
	forEachGaussian  = 24
	forChunks        = 120 << 20
	forChunksColours = 300 << 20 // colours that depend on the view
)

// limitHeap makes the collector work harder once the heap has what a capture of
// this size needs: without a limit it lets garbage grow to a multiple of that. It
// takes about as long.
func limitHeap(f splat.Facts) {
	gaussians := f.Environment
	for _, n := range f.Levels {
		gaussians += n
	}
	if f.Levels == nil {
		gaussians += f.Splats
	}
	need := forEachGaussian*gaussians + forChunks
	if f.Degree > 0 {
		need += forChunksColours - forChunks
	}
	// That of the server is for a heap of a few megabytes.
	debug.SetGCPercent(50)
	const ask = -1 // changes nothing
	if limit := debug.SetMemoryLimit(ask); limit == math.MaxInt64 || need < limit {
		debug.SetMemoryLimit(need)
	}
}
