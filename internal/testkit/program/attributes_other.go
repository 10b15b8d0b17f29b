//go:build !linux

package program

import "syscall"

// attributes returns the attributes of a process that has a group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
