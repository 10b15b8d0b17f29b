//go:build !linux

package sandbox

import "runtime/debug"

// LimitMemory makes the garbage collector work harder as the heap comes near the limit.
// The heap may exceed it: only Linux counts used memory apart from reserved addresses.
func LimitMemory(bytes int64) error {
	debug.SetMemoryLimit(bytes)
	return nil
}
