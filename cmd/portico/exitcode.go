package main

import (
	"errors"

	"portico/worker/child"
)

// The exit codes of failures. A crash of the Go runtime has the same code as exitInput, but prints
// no fault.
const (
	exitFailed = 1
	exitInput  = child.ExitInput
	exitMemory = 3 // out of memory
)

// exitError is an error with its own exit code.
type exitError struct {
	code int
	err  error
}

// Error returns the cause's message.
func (e *exitError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *exitError) Unwrap() error { return e.err }

// exitCode returns the exit code of the process after an error.
func exitCode(err error) int {
	if coded, ok := errors.AsType[*exitError](err); ok {
		return coded.code
	}
	return exitFailed
}
