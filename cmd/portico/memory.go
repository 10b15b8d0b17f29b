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

// The memory of a collision in bytes: for each Gaussian of the finest level, and for the
// voxels.
const (
	collisionGaussianBytes = 48
	collisionVoxelBytes    = 128 << 20
)

// conversionMemory returns the memory that the conversion of a capture needs.
func conversionMemory(f splat.Facts) int64 {
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
	return need
}

// collisionMemory returns the memory that the collision of a capture needs.
func collisionMemory(f splat.Facts) int64 {
	return collisionGaussianBytes*f.Splats + collisionVoxelBytes
}

// limitHeap makes the collector work harder once the heap has the size that is needed.
// Without a limit, garbage would grow to a multiple of it. The conversion takes about as
// long either way.
func limitHeap(need int64) {
	debug.SetGCPercent(conversionGarbagePercent)
	const unchanged = -1
	if limit := debug.SetMemoryLimit(unchanged); limit == math.MaxInt64 || need < limit {
		debug.SetMemoryLimit(need)
	}
}
