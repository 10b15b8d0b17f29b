package child

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lowerPriority raises the nice value of the calling thread, and of the processes that it
// starts, so that requests to the server do not wait for conversions. If the system refuses,
// the child competes with the server's threads.
func lowerPriority() {
	const (
		rawBase = 20 // the system call returns 20 minus the nice value, to stay positive
		maxNice = 19
		step    = 5 // about a third of the processor time of a thread with the priority before
	)
	if raw, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err == nil {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, min(maxNice, rawBase-raw+step))
	}
}

// waitedForProcessor returns how long the running threads of a process have been ready to run
// without a processor: the sum of the second number of each schedstat file (the kernel's
// Documentation/scheduler/sched-stats.rst). It returns 0 if the system does not report it.
func waitedForProcessor(pid int) (waited time.Duration) {
	threads, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/schedstat")
	if err != nil {
		return 0
	}
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // the thread has ended
		}
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			nanoseconds, _ := strconv.ParseInt(fields[1], 10, 64) // 0 if it is not a number
			waited += time.Duration(nanoseconds)
		}
	}
	return waited
}

// preferOOMKill makes the kernel kill this process before the server or its database when the
// machine runs out of memory (oom_score_adj in proc(5), from -1000 to 1000).
func preferOOMKill(pid int) {
	// If the system refuses, the kernel chooses by the memory of the processes alone.
	_ = os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte("900"), 0)
}
