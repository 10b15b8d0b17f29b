package program

import "syscall"

// attributes returns the attributes of a process that has a group of its own, and that the
// kernel kills when the caller dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
