//go:build unix && !linux

package sandbox

import (
	"errors"
	"syscall"
)

// apply fails: only Linux has the measures.
func apply(Measure, Options) error { return errors.ErrUnsupported }

// refusePrivileges does nothing: only Linux has this attribute of processes.
func refusePrivileges() error { return nil }

// Separate does nothing.
func Separate(*syscall.SysProcAttr) {}

// MayChangeUser returns an error: only Linux has the measure.
func MayChangeUser() error { return errors.ErrUnsupported }
