package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// smallHeapPercent is the growth of a heap of a few megabytes before a collection.
	// Go's own 100 % would spend a good part of a busy server's time on keeping so small
	// a heap small.
	smallHeapPercent = 400
	// maxGarbage is what a larger heap may grow by, in bytes. Answers and password hashes
	// are megabytes that are in use for milliseconds: at 400 % a few of them at a time
	// become hundreds of megabytes.
	maxGarbage = 64 << 20
	// minPercent keeps the share of time for collections low where the heap in use is large.
	minPercent = 50
)

// collectLess lets the heap of every command grow by smallHeapPercent. GOGC decides when
// it is set.
func collectLess() {
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

// afterCollection adjusts the percent that is set after the next collection, and again
// after each later one.
func afterCollection(percent int) {
	// Larger than what the runtime allocates in batches, which it may keep.
	collected := new([64]byte)
	runtime.AddCleanup(collected, func(before int) {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		now := garbagePercent(sample[0].Value.Uint64())
		if now != before { // setting it stops all goroutines for a moment
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
