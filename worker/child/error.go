package child

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"portico/internal/subprocess"
	"portico/model"
	"portico/splat"
	"portico/storage"
	"portico/worker/sandbox"
)

// Error is the error of a child that ended without a result and without a fault in the user's file.
// The worker decides by Final whether the job is tried again.
type Error struct {
	// Reason is the message for the job's owner if the job is not tried again.
	Reason string
	// Final reports whether another attempt would end in the same way.
	Final bool
	// Err is the cause, for the log.
	Err error
}

// Error returns the message for the log. The owner of the job reads Reason instead.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause, so that errors.Is finds it.
func (e *Error) Unwrap() error { return e.Err }

// ErrTooLarge is the cause of a child's end that made a file of more bytes than Request.FileSize.
var ErrTooLarge = errors.New("the child made a file that is larger than its limit")

// The reasons for which a capture, and not the server, may be the cause.
const (
	ReasonMemory  = "Out of memory: the capture needs more memory than this server gives to a conversion"
	ReasonSilent  = "The conversion stopped responding"
	ReasonTooLong = "The conversion took too long"
	// ReasonTooLarge is for damaged and hostile captures only: the limit is a multiple of
	// what valid captures need.
	ReasonTooLarge = "The result of the conversion is too large"
)

// result returns the error of a child that has ended, given the error of waiting for the child
// and the child's output. It returns nil if the child printed a result.
//
// The order of the cases matters: a child that this process has killed also has an exit status
// and incomplete output, which say nothing.
func result(ctx context.Context, waitError error, out *output, stderr string) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTimeout):
		return &Error{Reason: ReasonTooLong, Final: true, Err: cause}
	case errors.Is(cause, errSilent):
		return &Error{Reason: ReasonSilent, Err: cause}
	case out.err != nil:
		return crashed(out.err, stderr)
	case ctx.Err() != nil:
		return cause
	case waitError == nil && out.result != nil:
		return nil
	case waitError == nil:
		return crashed(errors.New("the child ended without a result"), stderr)
	}
	exit, ok := errors.AsType[*exec.ExitError](waitError)
	if !ok {
		return crashed(waitError, stderr) // the child could not be started
	}
	if exit.ExitCode() == ExitInput && out.fault != nil {
		return &splat.InputError{Message: *out.fault}
	}
	return diagnose(exit, stderr)
}

// diagnose returns why a child crashed.
func diagnose(exit *exec.ExitError, stderr string) error {
	err := crashed(exit, stderr)
	switch {
	case subprocess.RefusedMemory(stderr):
		// The child's own limit, which applies to the next attempt as well.
		return &Error{Reason: ReasonMemory, Final: true, Err: err}
	case containsAny(stderr, sandbox.ErrCPU):
		return &Error{Reason: ReasonTooLong, Final: true, Err: err}
	case containsAny(stderr, "file too large"):
		return &Error{Reason: ReasonTooLarge, Final: true, Err: fmt.Errorf("%w: %w", ErrTooLarge, err)}
	case containsAny(stderr, "no space left on device", "disk quota exceeded"):
		return fmt.Errorf("%w: %w", storage.ErrFull, err)
	case subprocess.Killed(exit):
		// The kernel kills children first when the machine runs out of memory, perhaps
		// because of another process. So the next attempt may succeed.
		return &Error{Reason: ReasonMemory, Err: err}
	}
	return err
}

// crashed returns the error for a bug or for a problem of the server.
func crashed(err error, stderr string) error {
	if stderr != "" {
		err = fmt.Errorf("%w: %s", err, stderr)
	}
	return &Error{Reason: model.InternalMessage, Err: err}
}

func containsAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
