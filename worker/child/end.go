package child

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"

	"portico/model"
	"portico/splat"
	"portico/storage"
	"portico/worker/sandbox"
)

// Error is the end of a child that found no fault in the file and brought no result.
type Error struct {
	// Reason is the message for the job's owner if there is no other try.
	Reason string
	// Final says that another try would end in the same way.
	Final bool
	// Err is the cause, for the log.
	Err error
}

// Error returns the message of the cause.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// The reasons that a hostile capture can cause.
const (
	ReasonMemory  = "Out of memory: the capture needs more than this server gives to one"
	ReasonSilent  = "The conversion stopped responding"
	ReasonTooLong = "The conversion took too long"
	// ReasonTooLarge is not for valid captures: none becomes that large.
	ReasonTooLarge = "The result of the conversion is too large"
)

// outcome returns how a child ended, from the error of waiting for it and from its
// output; nil for a result.
func outcome(ctx context.Context, waited error, out *output, complaints string) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTimeout):
		return &Error{Reason: ReasonTooLong, Final: true, Err: cause}
	case errors.Is(cause, errSilent):
		return &Error{Reason: ReasonSilent, Err: cause}
	case out.err != nil:
		return crashed(out.err, complaints)
	case ctx.Err() != nil:
		return cause
	case waited == nil && out.result != nil:
		return nil
	case waited == nil:
		return crashed(errors.New("it ended without a result"), complaints)
	}
	exit, ok := errors.AsType[*exec.ExitError](waited)
	if !ok {
		return crashed(waited, complaints) // it could not be started
	}
	if exit.ExitCode() == ExitInput && out.fault != nil {
		return &splat.InputError{Message: *out.fault}
	}
	return diagnose(exit, complaints)
}

// refusedMemory are the messages of Go when the system gives it no more memory.
var refusedMemory = []string{
	"out of memory",
	"cannot allocate memory",
	"failed to create new OS thread",
	// The garbage collector does not check its own allocations. These messages mean
	// a fault in the runtime itself: one in our code is a panic.
	"SIGSEGV: segmentation violation\nPC=",
	"unexpected signal during runtime execution",
	// A build with the race detector.
	"address space collisions",
	"ThreadSanitizer failed to allocate",
}

// diagnose returns why a child crashed.
func diagnose(exit *exec.ExitError, complaints string) error {
	err := crashed(exit, complaints)
	switch {
	case saysAny(complaints, refusedMemory...):
		// Its own limit, which the next try has as well.
		return &Error{Reason: ReasonMemory, Final: true, Err: err}
	case saysAny(complaints, sandbox.ErrCPU):
		return &Error{Reason: ReasonTooLong, Final: true, Err: err}
	case saysAny(complaints, "file too large"):
		return &Error{Reason: ReasonTooLarge, Final: true, Err: err}
	case saysAny(complaints, "no space left on device", "disk quota exceeded"):
		return fmt.Errorf("%w: %w", storage.ErrFull, err)
	case killed(exit):
		// The kernel does this when the machine runs out of memory, perhaps because
		// of another process; so does an operator.
		return &Error{Reason: ReasonMemory, Err: err}
	}
	return err
}

// crashed returns the error of an end that is a bug or trouble of the server.
func crashed(err error, complaints string) error {
	if complaints != "" {
		err = fmt.Errorf("%w: %s", err, complaints)
	}
	return &Error{Reason: model.InternalMessage, Err: err}
}

// killed reports whether SIGKILL ended the process.
func killed(exit *exec.ExitError) bool {
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// saysAny reports whether the text contains one of the parts.
func saysAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
