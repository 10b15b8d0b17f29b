//go:build unix && !linux

package child

import (
	"syscall"
	"time"
)

// dieWithParent does nothing: only Linux notifies a child of the end of its parent.
// The child ends when it next writes to the closed pipe.
func dieWithParent(*syscall.SysProcAttr) {}

// lowerPriority does nothing: only Linux has a priority for each thread, and here the call
// would slow down the whole server.
func lowerPriority() {}

// waitedForProcessor returns 0: only Linux counts it for each process.
func waitedForProcessor(int) time.Duration { return 0 }

// preferOOMKill does nothing: only Linux lets a process choose.
func preferOOMKill(int) {}
