package sandbox

import (
	"fmt"
	"runtime/debug"
	"syscall"
)

// LimitMemory makes the garbage collector work harder as the heap nears the limit,
// and the system refuse what goes beyond: the process then ends, and nothing else
// does. Only memory that can be written counts (RLIMIT_DATA), since Go reserves far
// more addresses than it uses. A lower limit stays: only root could raise it.
func LimitMemory(bytes int64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &now); err != nil {
		return fmt.Errorf("read the limit: %w", err)
	}
	limit := min(uint64(bytes), now.Max) // no limit is the largest number
	// The rest is for stacks and the runtime itself.
	debug.SetMemoryLimit(int64(limit / 4 * 3))
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: limit, Max: limit})
}
