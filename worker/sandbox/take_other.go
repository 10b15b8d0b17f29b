//go:build unix && !linux

package sandbox

import "syscall"

// take refuses: only Linux has the measures.
func take(Measure, Options) error { return errUnsupported }

// refusePrivileges does nothing: only Linux knows such processes.
func refusePrivileges() error { return nil }

// Separate does nothing.
func Separate(*syscall.SysProcAttr) {}

// MayChangeUser says that only Linux has the measure.
func MayChangeUser() error { return errUnsupported }
