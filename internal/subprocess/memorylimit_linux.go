package subprocess

import (
	"fmt"
	"runtime/debug"
	"syscall"
)

// LimitMemory limits the memory of the process, in bytes. The garbage collector runs more
// often as the heap comes near the limit. Beyond the limit the system refuses memory, and the
// Go runtime crashes. Only writable memory counts (RLIMIT_DATA), because Go reserves far more
// addresses than it uses. A lower limit of the system is kept: only root could raise it.
func LimitMemory(bytes int64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &now); err != nil {
		return fmt.Errorf("read the limit: %w", err)
	}
	limit := min(uint64(bytes), now.Max) // "no limit" is the maximum number
	// The rest is for stacks and the runtime itself.
	debug.SetMemoryLimit(int64(limit / 4 * 3))
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: limit, Max: limit})
}
