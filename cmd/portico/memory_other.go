//go:build !linux

package main

import "runtime/debug"

// limitMemory makes the collector work harder as the heap nears the limit. It may
// be exceeded: nothing but Linux counts what Go uses apart from what it reserves.
func limitMemory(bytes int64) error {
	debug.SetMemoryLimit(bytes)
	return nil
}
