package worker

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

// rssUnit is what the system counts a process' memory in, in bytes.
const rssUnit = 1024

// exitInput is the status of a child that found a fault in the user's file. Go
// itself ends with it too where it crashes, but then says nothing on standard
// output.
const exitInput = 2

// childError is the end of a child that brought no result and found no fault in
// the file.
type childError struct {
	// told is what the job's owner is told when no other try is made.
	told string
	// final says that another try would end in the same way.
	final bool
	err   error
}

// Error returns the cause, for the log.
func (e *childError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *childError) Unwrap() error { return e.err }

// The texts of what may become of a hostile capture.
const (
	toldMemory  = "Out of memory: the capture needs more than this server gives to one"
	toldSilent  = "The conversion stopped responding"
	toldTooLong = "The conversion took too long"
	// No capture becomes that large when it is converted.
	toldTooLarge = "The result of the conversion is too large"
)

// childEnd tells how a child has ended, from the error of waiting for it and
// from what it said; nil for a result.
func childEnd(ctx context.Context, waited error, said *childOutput, complaints string) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errChildTooLong):
		return &childError{told: toldTooLong, final: true, err: cause}
	case errors.Is(cause, errChildSilent):
		return &childError{told: toldSilent, err: cause}
	case said.err != nil:
		return crashed(said.err, complaints)
	case ctx.Err() != nil:
		return cause
	case waited == nil && said.result != nil:
		return nil
	case waited == nil:
		return crashed(errors.New("it ended without a result"), complaints)
	}
	exit, ok := errors.AsType[*exec.ExitError](waited)
	if !ok {
		return crashed(waited, complaints) // it could not be started
	}
	if exit.ExitCode() == exitInput && said.fault != nil {
		return &splat.InputError{Message: *said.fault}
	}
	return diagnose(exit, complaints)
}

// refusedMemory is what Go says where the system gives it no more memory.
var refusedMemory = []string{
	"out of memory",
	"cannot allocate memory",
	"failed to create new OS thread",
	// The collector does not look whether it was given what it asked for its own
	// queues. These words are of a fault in the runtime itself: one in our code
	// is a panic.
	"SIGSEGV: segmentation violation\nPC=",
	"unexpected signal during runtime execution",
	// A build with the race detector.
	"address space collisions",
	"ThreadSanitizer failed to allocate",
}

// diagnose finds out why a child crashed.
func diagnose(exit *exec.ExitError, complaints string) error {
	err := crashed(exit, complaints)
	switch {
	case saysAny(complaints, refusedMemory...):
		// Its own limit, which is there at the next try as well.
		return &childError{told: toldMemory, final: true, err: err}
	case saysAny(complaints, sandbox.ErrCPU):
		return &childError{told: toldTooLong, final: true, err: err}
	case saysAny(complaints, "file too large"):
		return &childError{told: toldTooLarge, final: true, err: err}
	case saysAny(complaints, "no space left on device", "disk quota exceeded"):
		return fmt.Errorf("%w: %w", storage.ErrFull, err)
	case killed(exit):
		// The kernel does this where the machine's memory is used up, maybe by
		// others than this one; so does an operator.
		return &childError{told: toldMemory, err: err}
	}
	return err
}

// crashed is an end that should not be.
func crashed(err error, complaints string) error {
	if complaints != "" {
		err = fmt.Errorf("%w: %s", err, complaints)
	}
	return &childError{told: model.InternalMessage, err: err}
}

// killed tells whether a process was ended as kill -9 does.
func killed(exit *exec.ExitError) bool {
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

func saysAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
