package transport

import (
	"context"
	"encoding/json"
	"fmt"
)

// initiate starts Init beside the reading, so that a client which does not wait
// for connection_ack is told so at once, as the protocol asks.
func (s *socket) initiate(payload json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.initiated {
		return closing(closeTooManyInits, "Too many initialisation requests")
	}
	s.initiated = true
	s.tasks.Go(func() {
		if err := s.acknowledge(payload); err != nil {
			s.end(closingFor(err))
		}
	})
	return nil
}

// acknowledge asks the owner's hooks and opens the socket for operations. A hook
// may wait for a database; s.ctx ends when the client does not wait with it.
func (s *socket) acknowledge(payload json.RawMessage) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = recovered(s.ctx, s.exec, value).Errors // presented, so logged
		}
	}()
	ctx, err := s.options.Init(s.ctx, payload)
	if err != nil {
		return fmt.Errorf("initialise the socket: %w", err)
	}
	if ctx == nil { // an owner with nothing to add
		ctx = s.ctx
	}
	release, err := s.options.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("acquire the socket: %w", err)
	}
	s.open(ctx, release)
	return nil
}

// open lets operations in. The lock is held until the acknowledgement is out:
// without it a client that does not wait could see results before it.
func (s *socket) open(ctx context.Context, release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release = release // serve calls it, also when the socket has ended meanwhile
	s.parent = s.bind(ctx)
	// A failed write has ended the socket already, with a better reason.
	_ = s.write(message{kind: typeAck})
}

// bind ties the socket and the context of Init together: each ends the other.
// Init need not derive its context from the socket's, so neither follows from
// the other by itself.
func (s *socket) bind(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })
	context.AfterFunc(ctx, func() { s.end(context.Cause(ctx)) })
	return ctx
}
