package subprocess

import (
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

// memoryMessages are the messages of the Go runtime when the system refuses more memory. Other
// crashes have the same exit status, so only the text distinguishes them.
var memoryMessages = []string{
	"out of memory",
	"cannot allocate memory",
	"failed to create new OS thread",
	"pthread_create failed", // with cgo
	"cannot map pages in arena address space",
	"failed to allocate aligned heap memory",
	"failed to reserve page summary memory",
	// The garbage collector does not check all its own allocations. These messages mean
	// a fault in the runtime itself; a fault in our code is a panic.
	"SIGSEGV: segmentation violation\nPC=",
	"unexpected signal during runtime execution",
	// Builds with the race detector.
	"address space collisions",
	"ThreadSanitizer failed to allocate",
}

// RefusedMemory reports whether a Go program has crashed because the system refused memory, by the
// text that it printed on standard error.
func RefusedMemory(stderr string) bool {
	return slices.ContainsFunc(memoryMessages, func(message string) bool { return strings.Contains(stderr, message) })
}

// Killed reports whether SIGKILL ended the process. The kernel sends it when the machine runs out
// of memory.
func Killed(exit *exec.ExitError) bool {
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
