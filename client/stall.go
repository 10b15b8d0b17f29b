package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// MaxStall is how long a request may send and receive no byte, and how long an upload may make no
// progress.
const MaxStall = 5 * time.Minute

// errStalled means that a request was canceled after MaxStall.
var errStalled = fmt.Errorf("the connection stalled: no byte was sent or received for %d minutes", int(MaxStall.Minutes()))

// stallTransport cancels requests that send and receive no byte for MaxStall, and returns
// errStalled for them. Every byte restarts the time, so a slow request is not canceled, however
// long it takes.
//
// The bytes are counted where the body of a request is read, in pieces of at most 32 KB. A piece
// that takes longer than MaxStall counts as a stall.
type stallTransport struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper. The time also applies to reading the response.
func (t *stallTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, stall := startStallTimer(r.Context())
	r = r.WithContext(ctx)
	if r.Body != nil && r.Body != http.NoBody { // a wrapped NoBody would be sent in chunks
		r.Body = &watchedBody{ReadCloser: r.Body, stall: stall}
		if getBody := r.GetBody; getBody != nil {
			r.GetBody = func() (io.ReadCloser, error) {
				body, err := getBody()
				return &watchedBody{ReadCloser: body, stall: stall}, err
			}
		}
	}
	response, err := t.base.RoundTrip(r)
	if err != nil {
		stall.stop()
		return nil, stall.explain(err)
	}
	response.Body = &watchedBody{ReadCloser: response.Body, stall: stall, isResponse: true}
	return response, nil
}

// stallTimer cancels the context of a request after MaxStall.
type stallTimer struct {
	timer     *time.Timer
	cancel    context.CancelCauseFunc
	isStalled atomic.Bool
}

// startStallTimer starts the timer of a request, and returns the context for the request. The
// caller calls stop when the request has ended.
func startStallTimer(ctx context.Context) (context.Context, *stallTimer) {
	ctx, cancel := context.WithCancelCause(ctx)
	s := &stallTimer{cancel: cancel}
	s.timer = time.AfterFunc(MaxStall, func() {
		s.isStalled.Store(true)
		cancel(errStalled)
	})
	return ctx, s
}

// stop stops the timer and releases the context of the request.
func (s *stallTimer) stop() {
	s.timer.Stop()
	s.cancel(nil)
}

// explain returns err, or errStalled if the timer has caused it. HTTP/2 returns the error of the
// context and not its cause.
func (s *stallTimer) explain(err error) error {
	if s.isStalled.Load() {
		return errStalled
	}
	return err
}

// watchedBody is the body of a request or of its response. Every read restarts the timer.
type watchedBody struct {
	io.ReadCloser
	stall      *stallTimer
	isResponse bool // the request ends when its response is closed
}

// Read implements io.Reader.
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.stall.timer.Reset(MaxStall)
	}
	if err != nil && err != io.EOF {
		err = b.stall.explain(err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *watchedBody) Close() error {
	err := b.ReadCloser.Close()
	if b.isResponse {
		b.stall.stop()
	}
	return err
}
