package program

import "syscall"

// attributes returns the attributes of a process with its own process group, which the kernel kills
// when the parent dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
