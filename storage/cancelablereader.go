package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"portico/internal/freespace"
)

// cancelableReader reads until its context ends. It marks its errors, so that an error of the
// sender can be distinguished from an error of the disk.
//
// The end of ctx is noticed at the next read. A read that waits for a sender must end on its own,
// as the bodies of requests do.
type cancelableReader struct {
	ctx context.Context
	r   io.Reader
}

// Read reads from r; an error other than io.EOF is a *readError.
func (c *cancelableReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, &readError{err}
	}
	n, err := c.r.Read(p)
	if err != nil && err != io.EOF {
		err = &readError{err}
	}
	return n, err
}

// readError is an error of the source of the bytes.
type readError struct{ err error }

// Error returns the cause's message.
func (e *readError) Error() string { return "read source: " + e.err.Error() }

// Unwrap lets errors.Is find the cause.
func (e *readError) Unwrap() error { return e.err }

// WrapFull wraps the errors for a full disk and an exceeded disk quota in ErrFull. An error of
// the source stays unchanged: a full disk there is not ours. Package worker uses it too, because
// for users the disk of its work folder is part of the server's storage.
func WrapFull(err error) error {
	if _, reading := errors.AsType[*readError](err); reading {
		return err
	}
	if errors.Is(err, freespace.ErrFull) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}
