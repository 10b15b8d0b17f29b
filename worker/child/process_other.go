//go:build unix && !linux

package child

import "time"

// lowerPriority does nothing: only Linux has a priority for each thread, and here the call
// would slow down the whole server.
func lowerPriority() {}

// waitedForProcessor returns 0: only Linux counts it for each process.
func waitedForProcessor(int) time.Duration { return 0 }

// preferOOMKill does nothing: only Linux lets a process choose.
func preferOOMKill(int) {}
