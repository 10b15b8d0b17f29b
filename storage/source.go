package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"portico/internal/freespace"
)

// sourceReader reads until its context ends. It marks its errors, so that an error of the
// sender can be distinguished from an error of the disk.
//
// The end of ctx is noticed at the next read. A read that waits for a sender must end on its own,
// as the bodies of requests do.
type sourceReader struct {
	ctx context.Context
	r   io.Reader
}

// NewSource returns a reader of r that fails when ctx ends.
func NewSource(ctx context.Context, r io.Reader) io.Reader { return &sourceReader{ctx, r} }

// Read reads from r; an error other than io.EOF is a *SourceError.
func (c *sourceReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, &SourceError{err}
	}
	n, err := c.r.Read(p)
	if err != nil && err != io.EOF {
		err = &SourceError{err}
	}
	return n, err
}

// SourceError is an error of the source of the bytes.
type SourceError struct{ Err error }

// Error returns the cause's message.
func (e *SourceError) Error() string { return "read source: " + e.Err.Error() }

// Unwrap lets errors.Is find the cause.
func (e *SourceError) Unwrap() error { return e.Err }

// WrapFull wraps the errors for a full disk and an exceeded disk quota in ErrFull. An error of
// the source stays unchanged: a full disk there is not ours. Package worker uses it too, because
// for users the disk of its work folder is part of the server's storage.
func WrapFull(err error) error {
	if _, reading := errors.AsType[*SourceError](err); reading {
		return err
	}
	if errors.Is(err, freespace.ErrFull) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}
