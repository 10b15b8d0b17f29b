package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"portico/storage"
)

// stallReader is the body of a response. It gives up when the server sends nothing for the timeout,
// because TCP alone would wait for hours. The timer runs only during Read, so a caller may take any
// time between two reads.
type stallReader struct {
	io.ReadCloser
	timeout time.Duration      // the maximum wait for bytes
	cancel  context.CancelFunc // of the request
}

// errStalled is the error of a read for which no byte arrived within the timeout.
var errStalled = errors.New("the server has stopped sending")

// Read cancels the request when no byte arrives within the timeout.
func (r *stallReader) Read(p []byte) (int, error) {
	timer := time.AfterFunc(r.timeout, r.cancel)
	n, err := r.ReadCloser.Read(p)
	if !timer.Stop() && n == 0 {
		return 0, errStalled
	}
	return n, err
}

// Close closes the body and ends the request.
func (r *stallReader) Close() error {
	defer r.cancel()
	return r.ReadCloser.Close()
}

// resumingReader reads a part of an object, on a new connection when one breaks: reading
// gigabytes takes longer than a bad network stays up.
type resumingReader struct {
	ctx    context.Context // of the caller that opened the object
	body   io.ReadCloser
	offset int64 // of the next byte, in the object
	left   int64 // bytes of the part that are still to come
	broken int   // connections in a row without a byte
	reopen func(ctx context.Context, offset, n int64) (io.ReadCloser, error)
}

// Read implements io.Reader. After a broken connection it continues on a new one.
func (r *resumingReader) Read(p []byte) (int, error) {
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

// resume opens a new connection. It returns the cause after several connections in a row
// without a byte; connections that bring bytes may break any number of times.
func (r *resumingReader) resume(cause error) error {
	if errors.Is(cause, io.EOF) {
		cause = io.ErrUnexpectedEOF
	}
	if r.broken++; r.broken > attempts {
		return fmt.Errorf("%w: %w", storage.ErrUnavailable, cause)
	}
	body, err := r.reopen(r.ctx, r.offset, r.left)
	if err != nil {
		return err
	}
	_ = r.body.Close() // it is broken; Close closes it if reopen fails
	r.body = body
	return nil
}

// Close implements io.Closer.
func (r *resumingReader) Close() error { return r.body.Close() }
