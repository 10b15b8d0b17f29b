//go:build unix && !linux

package sandbox

import (
	"errors"
	"syscall"
)

// take refuses: only Linux has the measures.
func take(Measure, Options) error { return errors.ErrUnsupported }

// refusePrivileges does nothing: only Linux knows such processes.
func refusePrivileges() error { return nil }

// Separate does nothing.
func Separate(*syscall.SysProcAttr) {}

// MayChangeUser says that only Linux has the measure.
func MayChangeUser() error { return errors.ErrUnsupported }
