//go:build !linux

package subprocess

import "runtime/debug"

// LimitMemory makes the garbage collector run more often as the heap comes near the limit, in
// bytes. The heap may exceed the limit: only Linux can limit used memory without limiting
// reserved addresses.
func LimitMemory(bytes int64) error {
	debug.SetMemoryLimit(bytes)
	return nil
}
