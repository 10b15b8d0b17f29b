package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// smallHeapPercent is the growth of a heap of a few megabytes before a collection.
	// With Go's default of 100 % a busy server would spend a good part of its time on
	// collecting a heap that is small anyway.
	smallHeapPercent = 400
	// maxGarbage is how many bytes a larger heap may grow. Answers and password hashes take
	// megabytes for milliseconds: at 400 %, a few at a time would grow the heap by hundreds
	// of megabytes.
	maxGarbage = 64 << 20
	// minPercent bounds the time for collections when the heap in use is large.
	minPercent = 50
)

// relaxCollector lets the heap of every command grow by smallHeapPercent. It does nothing when
// GOGC is set.
func relaxCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(smallHeapPercent)
	}
}

// boundGarbage keeps the garbage of a long-running command below maxGarbage, or below
// minPercent of the heap in use where that is more: after each collection it sets how far
// the heap may grow until the next one. It does nothing when GOGC is set.
func boundGarbage() {
	if os.Getenv("GOGC") == "" {
		afterCollection(smallHeapPercent)
	}
}

// afterCollection adjusts the percentage after the next collection, and after each later
// one. The runtime has no hook for that, but it runs cleanups after a collection.
func afterCollection(percent int) {
	// The runtime allocates objects under 16 bytes in batches, which it may never collect.
	collected := new([64]byte)
	runtime.AddCleanup(collected, func(before int) {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		now := garbagePercent(sample[0].Value.Uint64())
		if now != before { // SetGCPercent stops all goroutines for a moment
			debug.SetGCPercent(now)
		}
		afterCollection(now)
	}, percent)
}

// garbagePercent returns how far a heap with so many bytes in use may grow, in percent. It
// changes in steps, so that it is seldom set.
func garbagePercent(live uint64) int {
	const step = 10
	percent := maxGarbage * 100 / max(live, 1) / step * step
	return int(min(max(percent, minPercent), smallHeapPercent))
}
