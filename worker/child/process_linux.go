package child

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// dieWithParent has the kernel kill the child when the thread that started it
// ends, which it does with its process, even after kill -9.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// lowerPriority makes the calling thread, and what it starts, yield the processor to
// the server's other threads. If the system refuses, the child competes with them.
func lowerPriority() {
	const (
		rawBase = 20 // the system call returns 20 minus the nice value, to stay positive
		maxNice = 19
		step    = 5
	)
	if raw, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err == nil {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, min(maxNice, rawBase-raw+step))
	}
}

// waitedForProcessor returns how long the threads of a process have been ready to run
// without a processor, from the second number in each schedstat (proc(5)). Threads that have
// ended are not counted. It returns 0 if the system does not report it.
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
			nanoseconds, _ := strconv.ParseInt(fields[1], 10, 64) // 0 if it is no number
			waited += time.Duration(nanoseconds)
		}
	}
	return waited
}

// preferOOMKill makes the kernel end this process first when the machine runs out of
// memory: one conversion rather than the server or its database.
func preferOOMKill(pid int) {
	// If the system refuses, the kernel picks the largest process by itself.
	_ = os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte("900"), 0)
}
