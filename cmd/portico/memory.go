package main

import (
	"math"
	"runtime/debug"

	"portico/splat"
)

// The measured memory of a conversion in bytes: for each Gaussian of all levels, and for the
// chunks that are processed at a time, without and with spherical harmonics.
const (
	gaussianBytes            = 24
	chunkBytes               = 120 << 20
	chunkBytesWithHarmonics  = 300 << 20
	conversionGarbagePercent = 50 // of the live heap, which is large; see smallHeapPercent
)

// The measured memory of a SOG without levels in bytes for each Gaussian, without and with
// spherical harmonics. It is encoded as a whole.
const (
	singleGaussianBytes              = 130
	singleGaussianBytesWithHarmonics = 600
)

// The measured memory of a collision in bytes: for each Gaussian of the finest level, and for
// the voxels.
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

// singleMemory returns the memory that the conversion of a capture to a SOG without levels needs.
func singleMemory(f splat.Facts) int64 {
	if f.Degree > 0 {
		return singleGaussianBytesWithHarmonics*f.Splats + chunkBytesWithHarmonics
	}
	return singleGaussianBytes*f.Splats + chunkBytes
}

// collisionMemory returns the memory that the collision of a capture needs.
func collisionMemory(f splat.Facts) int64 {
	return collisionGaussianBytes*f.Splats + collisionVoxelBytes
}

// limitHeap makes the garbage collector run more often once the heap exceeds need, in bytes.
// Without a limit, the garbage would grow to a multiple of need. The conversion takes about the
// same time either way.
func limitHeap(need int64) {
	debug.SetGCPercent(conversionGarbagePercent)
	const unchanged = -1
	if limit := debug.SetMemoryLimit(unchanged); limit == math.MaxInt64 || need < limit {
		debug.SetMemoryLimit(need)
	}
}
