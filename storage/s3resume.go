package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// watched is the body of an answer that is given up when the server sends nothing for
// a while: TCP alone would wait for hours.
type watched struct {
	io.ReadCloser
	silence time.Duration      // how long a read may wait
	cancel  context.CancelFunc // of the request
}

var errSilent = errors.New("the server has stopped sending")

// Read cancels the request when no byte comes in time.
func (w *watched) Read(p []byte) (int, error) {
	timer := time.AfterFunc(w.silence, w.cancel)
	n, err := w.ReadCloser.Read(p)
	if !timer.Stop() && n == 0 {
		return 0, errSilent
	}
	return n, err
}

// Close ends the request.
func (w *watched) Close() error {
	defer w.cancel()
	return w.ReadCloser.Close()
}

// resumed reads a part of an object, over several connections when they break: a
// read of gigabytes outlives a bad network.
type resumed struct {
	ctx    context.Context // of the caller that opened the object
	body   io.ReadCloser
	offset int64 // of the next byte, in the object
	left   int64 // bytes of the part that are still to come
	broken int   // connections in a row that brought no byte
	reopen func(ctx context.Context, offset, n int64) (io.ReadCloser, error)
}

// Read opens a new connection when one breaks, and continues where it broke.
func (r *resumed) Read(p []byte) (int, error) {
	for {
		n, err := r.body.Read(p)
		r.offset, r.left = r.offset+int64(n), r.left-int64(n)
		if n > 0 {
			r.broken = 0
		}
		switch {
		case n > 0:
			return n, nil
		case r.left == 0:
			return 0, io.EOF
		case err == nil: // p is empty
			return 0, nil
		case r.ctx.Err() != nil:
			return 0, r.ctx.Err()
		}
		if err := r.resume(err); err != nil {
			return 0, err
		}
	}
}

// resume opens a new connection. It returns the cause when several in a row brought
// no byte: a network that brings something may break as often as it likes.
func (r *resumed) resume(cause error) error {
	if errors.Is(cause, io.EOF) {
		cause = io.ErrUnexpectedEOF
	}
	if r.broken++; r.broken > attempts {
		return fmt.Errorf("%w: %w", ErrUnavailable, cause)
	}
	body, err := r.reopen(r.ctx, r.offset, r.left)
	if err != nil {
		return err
	}
	_ = r.body.Close() // broken already; after a failed reopen, Close closes it
	r.body = body
	return nil
}

// Close closes the connection.
func (r *resumed) Close() error { return r.body.Close() }
