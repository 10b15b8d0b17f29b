package main

import (
	"math"
	"runtime/debug"

	"portico/splat"
)

// The memory of a conversion in bytes, as measured: for each Gaussian of all levels, and for
// the chunks in work, without and with spherical harmonics.
const (
	gaussianBytes            = 24
	chunkBytes               = 120 << 20
	chunkBytesWithHarmonics  = 300 << 20
	conversionGarbagePercent = 50 // of the heap in use; a server's percentage is for a small heap
)

// limitHeap makes the collector work harder once the heap has the size that this capture
// needs. Without a limit, garbage would grow to a multiple of it. The conversion takes about
// as long either way.
func limitHeap(f splat.Facts) {
	gaussians := f.Environment
	for _, n := range f.Levels {
		gaussians += n
	}
	if f.Levels == nil {
		gaussians += f.Splats
	}
	need := gaussianBytes*gaussians + chunkBytes
	if f.Degree > 0 {
		need += chunkBytesWithHarmonics - chunkBytes
	}
	debug.SetGCPercent(conversionGarbagePercent)
	const unchanged = -1
	if limit := debug.SetMemoryLimit(unchanged); limit == math.MaxInt64 || need < limit {
		debug.SetMemoryLimit(need)
	}
}
