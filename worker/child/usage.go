package child

import (
	"os"
	"syscall"
	"time"
)

// rssUnit is the unit of Rusage.Maxrss, in bytes. It is 1024 on Linux only (getrusage(2)): macOS
// counts bytes, so PeakMemory is too large there.
const rssUnit = 1024

// Usage is the processor time and the memory that children have used. The zero value is
// ready to use.
type Usage struct {
	// CPU is the sum of user and system time.
	CPU time.Duration
	// PeakMemory is the maximum resident memory of one child, in bytes. Linux counts from the
	// fork, when the child still has the memory of the server, so it is never less than that.
	PeakMemory int64
}

func (u *Usage) add(state *os.ProcessState) {
	if state == nil {
		return // not started
	}
	u.CPU += state.UserTime() + state.SystemTime()
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		u.PeakMemory = max(u.PeakMemory, usage.Maxrss*rssUnit)
	}
}

// Attributes returns the usage as attributes for the log; nil if there was no child.
func (u *Usage) Attributes() []any {
	if *u == (Usage{}) {
		return nil
	}
	return []any{"child_cpu", u.CPU, "child_peak_mb", u.PeakMemory >> 20}
}
