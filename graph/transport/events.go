package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"portico/internal/background"
)

// eventStream writes server-sent events, one at a time: results of the operation, and the comments
// of keepAlive.
//
// Two goroutines write: the one of the operation, and keepAlive.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	backlog *Backlog

	mu       sync.Mutex // guards w and finished
	finished bool
}

// newEventStream returns a stream that is not open yet. Only its first write sends the
// status, so a request can be refused until then.
func newEventStream(w http.ResponseWriter, timeout time.Duration, backlog *Backlog) *eventStream {
	return &eventStream{w: w, control: http.NewResponseController(w), timeout: timeout, backlog: backlog}
}

// open sends the headers and a first comment, because some browsers do not report the
// stream as open before its first byte.
func (s *eventStream) open() error {
	header := s.w.Header()
	header.Set("Content-Type", mediaEvents+"; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // nginx would buffer the events
	// The server's ReadTimeout is for the request, which has been read.
	if err := ignoreUnsupported(s.control.SetReadDeadline(time.Time{})); err != nil {
		return fmt.Errorf("clear the read deadline: %w", err)
	}
	return s.write([]byte(":\n\n"))
}

// close removes the write deadline of a finished stream, because the next request may use the
// connection. A stream that was interrupted keeps its deadline: the server still writes the end of
// the body, and the client may not read it.
func (s *eventStream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.finished {
		return
	}
	_ = s.control.SetWriteDeadline(time.Time{}) // only fails on a connection that is closed
}

// next sends one result ("graphql-sse", next event).
func (s *eventStream) next(body []byte) error {
	return s.write(event("next", body))
}

// finish sends the last result, if there is one, and the end. The complete event
// has an empty data line: without one an EventSource does not fire it
// ("graphql-sse", complete event).
func (s *eventStream) finish(body []byte) error {
	frame := event("complete", nil)
	if body != nil {
		frame = append(event("next", body), frame...)
	}
	if err := s.write(frame); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finished = true
	return nil
}

// event returns the frame of a body. A line break would end the data line, so JSON with line breaks
// between its tokens is compacted.
func event(name string, body []byte) []byte {
	if bytes.ContainsAny(body, "\r\n") {
		var compact bytes.Buffer
		if json.Compact(&compact, body) == nil {
			body = compact.Bytes()
		}
	}
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, body)
}

// write sends a frame. Its deadline replaces the server's WriteTimeout, which is for
// whole responses.
func (s *eventStream) write(frame []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ignoreUnsupported(s.control.SetWriteDeadline(time.Now().Add(s.timeout))); err != nil {
		return fmt.Errorf("set the write deadline: %w", err)
	}
	// A deadline in the past ends the write that is waiting.
	defer s.backlog.Add(len(frame), func() { _ = s.control.SetWriteDeadline(time.Unix(1, 0)) })()
	if _, err := s.w.Write(frame); err != nil {
		return fmt.Errorf("write an event: %w", err)
	}
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("flush an event: %w", err)
	}
	return nil
}

// ignoreUnsupported returns nil for the error of a writer without deadlines, such as a recorder.
func ignoreUnsupported(err error) error {
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// keepAlive sends a comment every interval until stop is called. stop waits for the loop. If a
// comment cannot be written, the client has gone, and keepAlive cancels the operation.
func (s *eventStream) keepAlive(ctx context.Context, cancel func(), interval time.Duration) (stop func()) {
	var loop background.Group
	loop.Go(func(stopped context.Context) {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-stopped.Done():
				return
			case <-ticker.C:
				if s.write([]byte(":\n\n")) != nil {
					cancel()
					return
				}
			}
		}
	})
	return loop.Stop
}
