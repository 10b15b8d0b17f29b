package command

import "errors"

// The exit codes of failures. Scripts can rely on them:
//
//	1  the command failed: a wrong flag, the network, the machine
//	2  the user's file has a fault, so that another attempt fails too
//	3  the command ran out of memory
//
// A crash of the Go runtime also has code 2, but then no fault is printed.
const (
	ExitFailed = 1
	ExitInput  = 2
	ExitMemory = 3
)

// ExitError is an error with its own exit code.
type ExitError struct {
	Code int
	Err  error
}

// Error returns the message that the command prints.
func (e *ExitError) Error() string { return e.Err.Error() }

// Unwrap returns the cause, so that errors.Is finds it.
func (e *ExitError) Unwrap() error { return e.Err }

// ExitCode returns the exit code for an error: ExitFailed, unless an ExitError is in its chain.
func ExitCode(err error) int {
	if coded, ok := errors.AsType[*ExitError](err); ok {
		return coded.Code
	}
	return ExitFailed
}

// ErrLogged replaces an error that was already logged or printed. main does not print it, so
// that standard error contains only the JSON of the log.
var ErrLogged = errors.New("logged")
