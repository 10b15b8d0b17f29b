package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// smallHeapPercent is how far a heap of a few megabytes may grow before a collection.
	// With Go's default of 100 %, a busy server spends much of its time collecting a heap
	// that is small anyway.
	smallHeapPercent = 400
	// maxGarbage is how many bytes a larger heap may grow between two collections. Responses
	// and password hashes take megabytes for milliseconds: at 400 %, a few concurrent ones
	// would grow the heap by hundreds of megabytes.
	maxGarbage = 64 << 20
	// minPercent limits the time spent on collections when the live heap is large.
	minPercent = 50
)

// relaxCollector lets the heap of every command grow by smallHeapPercent. It does nothing when
// GOGC is set.
func relaxCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(smallHeapPercent)
	}
}

// limitGarbage keeps the garbage of a long-running command below maxGarbage or minPercent of the
// live heap, whichever is more. After each collection it sets how far the heap may grow until
// the next one. It does nothing when GOGC is set.
func limitGarbage() {
	if os.Getenv("GOGC") == "" {
		adjustAfterCollection(smallHeapPercent)
	}
}

// adjustAfterCollection adjusts the percentage after the next collection and after each later one.
// The runtime has no hook for this, but it runs the cleanups of unreachable objects after a
// collection. A cleanup runs on a goroutine of the runtime, so this needs no goroutine of its own
// and costs nothing while the process allocates nothing.
func adjustAfterCollection(percent int) {
	// 64 bytes, because the runtime allocates objects under 16 bytes in batches, which it
	// may never collect (runtime.AddCleanup).
	collected := new([64]byte)
	runtime.AddCleanup(collected, func(before int) {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		now := garbagePercent(sample[0].Value.Uint64())
		if now != before { // SetGCPercent stops all goroutines for a moment
			debug.SetGCPercent(now)
		}
		adjustAfterCollection(now)
	}, percent)
}

// garbagePercent returns how far a heap with this many live bytes may grow, in percent. The
// result is a multiple of 10, so that it seldom changes.
func garbagePercent(live uint64) int {
	const step = 10
	percent := maxGarbage * 100 / max(live, 1) / step * step
	return int(min(max(percent, minPercent), smallHeapPercent))
}
