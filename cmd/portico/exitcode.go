package main

import "errors"

// The exit codes of failures. Scripts can rely on them:
//
//	1  the command failed: a wrong flag, the network, the machine
//	2  the user's file has a fault, so that another attempt fails too
//	3  the command ran out of memory
//
// A crash of the Go runtime also has code 2, but then no fault is printed.
const (
	exitFailed = 1
	exitInput  = 2
	exitMemory = 3
)

// exitError is an error with its own exit code.
type exitError struct {
	code int
	err  error
}

// Error returns the message that the command prints.
func (e *exitError) Error() string { return e.err.Error() }

// Unwrap returns the cause, so that errors.Is finds it.
func (e *exitError) Unwrap() error { return e.err }

// exitCode returns the exit code for an error: exitFailed, unless an exitError is in its chain.
func exitCode(err error) int {
	if coded, ok := errors.AsType[*exitError](err); ok {
		return coded.code
	}
	return exitFailed
}
