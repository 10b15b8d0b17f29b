package main

import (
	"fmt"
	"runtime/debug"
	"syscall"
)

// limitMemory makes the collector work harder as the heap nears the limit, and
// the system refuse what goes beyond: the process then ends, and nothing else
// does. What is counted is memory that can be written (RLIMIT_DATA), since Go
// reserves far more addresses than it uses. A limit that is lower already stays:
// only root could raise it.
func limitMemory(bytes int64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &now); err != nil {
		return fmt.Errorf("read the limit: %w", err)
	}
	most := min(uint64(bytes), now.Max) // no limit is the largest number
	// Stacks and the runtime's own are beside the heap.
	debug.SetMemoryLimit(int64(most / 4 * 3))
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: most, Max: most})
}
