package worker

import (
	"os"
	"strconv"
	"syscall"
)

// dieWithParent has the kernel kill the child when the thread that started it
// ends, which it does with its process, even by kill -9.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// yield makes the calling thread, and what it starts, give way to the server's
// others. Where it is not allowed the child only competes with them.
func yield() {
	const (
		raw   = 20 // the system call gives 20 less the value, to keep it positive
		least = 19
		less  = 5
	)
	if now, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err == nil {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, min(least, raw-now+less))
	}
}

// offer makes the process the one that the kernel ends where the machine's
// memory is used up: rather one conversion than the server or its database.
func offer(pid int) {
	// Where it is not allowed the kernel finds the largest by itself.
	_ = os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte("900"), 0)
}
