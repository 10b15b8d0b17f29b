package transport

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"portico/model"
)

// Keep-alives come more often than the 15 s after which some proxies give up; a
// write that waits for 10 s has a full buffer between it and the client.
const (
	defaultKeepAlive    = 12 * time.Second
	defaultWriteTimeout = 10 * time.Second
)

// AcquireFunc takes one of the connections that the caller in ctx may hold at a
// time and returns the function that gives it back, which is called once and is
// never nil. Its error refuses the connection.
type AcquireFunc func(ctx context.Context) (release func(), err error)

// SSE streams the results of an operation as server-sent events, in the
// "distinct connections mode" of graphql-sse: by POST, or by GET as a browser's
// EventSource does, which runs no mutations. The key comes with the request. The
// zero value is ready.
type SSE struct {
	// Acquire limits the streams of a caller. Nil means no limit.
	Acquire AcquireFunc

	// KeepAlive is the time between comments that keep proxies from closing a
	// quiet stream, and that find a client which has gone. Zero means 12 s.
	KeepAlive time.Duration

	// WriteTimeout is how long one write may wait for a client that does not
	// read; then the stream ends. Zero means 10 s.
	WriteTimeout time.Duration

	// Backlog bounds what clients that do not read keep in memory, of this and
	// whatever else shares it. Nil means that only WriteTimeout does.
	Backlog *Backlog

	// MaxBody is how many bytes a body, or the query part of an address, may
	// have. Zero means 1 MiB.
	MaxBody int64

	// Present renders an error of the transport itself, as in HTTP.
	Present graphql.ErrorPresenterFunc
}

// Supports implements graphql.Transport.
func (SSE) Supports(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodPost) && wantsEvents(r.Header.Values("Accept"))
}

// Do implements graphql.Transport. It returns when the operation has ended, the
// client has gone, or the context of the request has ended.
func (s SSE) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	if err := s.serve(w, r, exec); err != nil {
		answer{w: w, r: r, media: mediaJSON, presenter: presenter(s.Present)}.refuse(err)
	}
}

// serve returns the *refusal of a request that cannot become a stream; a browser
// cannot read it, but such a request is the fault of a program. What is wrong
// with the document is told in the stream ("graphql-sse", Distinct connections
// mode: errors of validation are next events).
func (s SSE) serve(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) error {
	params, err := readRequest(w, r, orDefault(s.MaxBody, defaultMaxBody))
	if err != nil {
		return err
	}
	if s.Acquire != nil {
		release, err := s.Acquire(r.Context())
		if err != nil {
			return refuse(statusOfCode(model.CodeOf(err)), err)
		}
		defer release()
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	op, refused := prepare(ctx, exec, params)
	if refused == nil {
		if err := checkMethod(r, op); err != nil {
			return err
		}
	}
	stream := newEventStream(w, orDefault(s.WriteTimeout, defaultWriteTimeout), s.Backlog)
	if err := stream.open(); err != nil {
		return nil // the client has gone: there is nobody to answer
	}
	defer stream.close()
	defer stream.keepAlive(ctx, cancel, orDefault(s.KeepAlive, defaultKeepAlive))()
	s.stream(ctx, stream, op, refused)
	return nil
}

// stream sends the refusal, or every response of the operation, and then the
// end. A write that fails has nobody to be told to.
func (s SSE) stream(ctx context.Context, stream *eventStream, op *operation, refused *graphql.Response) {
	render := presenter(s.Present)
	if refused != nil {
		_ = stream.finish(render.encode(ctx, refused))
		return
	}
	for response := op.next(); response != nil; response = op.next() {
		if stream.next(render.encode(ctx, response)) != nil {
			return
		}
	}
	if ctx.Err() == nil {
		_ = stream.finish(nil)
		return
	}
	// The context ended first. With a cause that is meant for the client, such
	// as a key that was revoked, the stream says so and is complete. Otherwise
	// the server stops: without a complete event the client knows that the
	// operation goes on, and connects again.
	cause := context.Cause(ctx)
	if _, ok := errors.AsType[*model.Error](cause); ok {
		_ = stream.finish(render.encode(ctx, render.refused(ctx, cause)))
	}
}
