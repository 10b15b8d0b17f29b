package child

import (
	"os"
	"syscall"
	"time"
)

// rssUnit is the unit in which the system counts resident memory, in bytes.
const rssUnit = 1024

// Usage is what children have taken from the machine. The zero value is ready.
type Usage struct {
	// CPU is their time on processors, user and system.
	CPU time.Duration
	// PeakMemory is the maximum resident memory of one of them, in bytes. Linux
	// counts from before the program is loaded, so it is never less than the
	// server's.
	PeakMemory int64
}

// add counts a child that has ended.
func (u *Usage) add(state *os.ProcessState) {
	if state == nil {
		return // it was not started
	}
	u.CPU += state.UserTime() + state.SystemTime()
	if of, ok := state.SysUsage().(*syscall.Rusage); ok {
		u.PeakMemory = max(u.PeakMemory, of.Maxrss*rssUnit)
	}
}

// Attributes returns the usage as attributes for the log; nil if there was no child.
func (u *Usage) Attributes() []any {
	if *u == (Usage{}) {
		return nil
	}
	return []any{"child_cpu", u.CPU, "child_peak_mb", u.PeakMemory >> 20}
}
