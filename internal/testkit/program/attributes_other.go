//go:build !linux

package program

import "syscall"

// attributes returns the attributes of a process with its own process group.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
