package transport

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"portico/model"
)

// Some proxies close a stream after 15 s without data, so a keep-alive comes earlier. If a write
// waits for 10 s, all buffers between the server and the client are full.
const (
	defaultKeepAlive    = 12 * time.Second
	defaultWriteTimeout = 10 * time.Second
)

// AcquireFunc counts a connection of the caller in ctx. release, which is not nil, ends the count
// and is called once. An error refuses the connection.
type AcquireFunc func(ctx context.Context) (release func(), err error)

// SSE streams the results of an operation as server-sent events, in the "distinct connections mode"
// of graphql-sse: by POST, or by GET as the EventSource of a browser does. A GET runs no mutations.
// The API key is in the request. The zero value is ready.
type SSE struct {
	// Acquire limits the streams of a caller. Nil means no limit.
	Acquire AcquireFunc

	// KeepAlive is the interval of comments. They keep proxies from closing a stream without
	// results, and detect a client that has gone. Zero means 12 s.
	KeepAlive time.Duration

	// WriteTimeout is how long a write waits for a client that does not read. Then the stream
	// ends. Zero means 10 s.
	WriteTimeout time.Duration

	// Backlog limits the memory of messages to clients that do not read, together with the other
	// transports that share it. With nil only WriteTimeout limits it.
	Backlog *Backlog

	// MaxBody limits the bytes of a body, and of the query of a URL. Zero means 1 MiB.
	MaxBody int64

	// Present renders an error of the transport itself, as in HTTP.
	Present graphql.ErrorPresenterFunc

	// Logger logs a panic of Present. Nil logs none.
	Logger *slog.Logger
}

// Supports implements graphql.Transport.
func (SSE) Supports(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodPost) && wantsEvents(r.Header.Values("Accept"))
}

// Do implements graphql.Transport. It returns when the operation or the context of the request
// ends, or the client disconnects.
func (s SSE) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	if err := s.serve(w, r, exec); err != nil {
		responder{w: w, r: r, media: mediaJSON, presenter: presenter{s.Present, s.Logger}}.refuse(err)
	}
}

// serve streams the operation. It returns a *refusal if the request cannot become a stream. Errors
// of validation are events of the stream, because an EventSource cannot read another response
// ("graphql-sse", Distinct connections mode).
func (s SSE) serve(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) error {
	params, err := readRequest(w, r, cmp.Or(s.MaxBody, defaultMaxBody))
	if err != nil {
		return err
	}
	if s.Acquire != nil {
		release, err := s.Acquire(r.Context())
		if err != nil {
			return refuse(statusOfError(err), err)
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
	stream := newEventStream(w, cmp.Or(s.WriteTimeout, defaultWriteTimeout), s.Backlog)
	if err := stream.open(); err != nil {
		return nil // the client has gone
	}
	defer stream.close()
	defer stream.keepAlive(ctx, cancel, cmp.Or(s.KeepAlive, defaultKeepAlive))()
	s.stream(ctx, stream, op, refused)
	return nil
}

// stream sends the refusal or every response of the operation, then the complete event. It ignores
// errors of writes, because a write fails only when the client has gone.
func (s SSE) stream(ctx context.Context, stream *eventStream, op *operation, refused *graphql.Response) {
	render := presenter{s.Present, s.Logger}
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
	// The context has ended before the operation. An error for the client, such as a revoked key,
	// completes the stream. Otherwise the server stops: without a complete event the client
	// connects again.
	cause := context.Cause(ctx)
	if _, ok := errors.AsType[*model.Error](cause); ok {
		_ = stream.finish(render.encode(ctx, render.refused(ctx, cause)))
	}
}
