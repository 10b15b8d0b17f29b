package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// smallHeapPercent is how far the heap of a short command may grow before a collection. With
	// Go's default of 100 %, much of its time goes into collecting a few megabytes.
	smallHeapPercent = 400
	// servicePercent is how far the heap of a long-running command may grow, its ballast included.
	servicePercent = 50
	// ballastSize is how many bytes the collector counts as in use that are not.
	ballastSize = 64 << 20
)

// relaxCollector lets the heap of every command grow by smallHeapPercent. It does nothing when
// GOGC is set.
func relaxCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(smallHeapPercent)
	}
}

// limitGarbage keeps the garbage of a long-running command below half of what it uses and 32 MiB.
// At smallHeapPercent, a few large responses or password hashes would leave hundreds of megabytes.
// It returns what the caller keeps until its end: memory that is never written, which the system
// does not provide. It does nothing when GOGC or GOMEMLIMIT is set, which counts such memory.
func limitGarbage() (release func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	ballast := make([]byte, ballastSize)
	debug.SetGCPercent(servicePercent)
	return func() { runtime.KeepAlive(ballast) }
}
