package transport

import (
	"context"
	"encoding/json"
	"fmt"
)

// startInit runs Init in a goroutine, while read receives further messages. So a client that does
// not wait for connection_ack is refused immediately, as the protocol requires.
//
// The states of a socket: connected, initReceived, acknowledged (parent is set), closed. Only Init
// moves it to the third.
func (s *socket) startInit(payload json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.initReceived {
		return newCloseError(closeTooManyInits, "Too many initialisation requests")
	}
	s.initReceived = true
	s.tasks.Go(func() {
		if err := s.runInit(payload); err != nil {
			s.cancel(initCloseError(err))
		}
	})
	return nil
}

// runInit calls Init and Acquire, then opens the socket for operations. Both may wait for a
// database; s.ctx ends if the client disconnects during this time.
func (s *socket) runInit(payload json.RawMessage) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = panicResponse(s.ctx, s.exec, value).Errors // presented, so logged
		}
	}()
	ctx, err := s.options.Init(s.ctx, payload)
	if err != nil {
		return fmt.Errorf("initialise the socket: %w", err)
	}
	if ctx == nil { // Init needs no other context
		ctx = s.ctx
	}
	release, err := s.options.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("acquire the socket: %w", err)
	}
	s.open(ctx, release)
	return nil
}

// open allows operations. It holds the lock until the acknowledgement is sent: otherwise a client
// that does not wait for it could receive results first.
func (s *socket) open(ctx context.Context, release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release = release // serve calls it, even if the socket has already ended
	s.parent = s.bind(ctx)
	// A failed write has ended the socket already, with a more precise cause.
	_ = s.write(message{kind: typeAck})
}

// bind returns a context that ends with the socket and with the context of Init, and ends the
// socket with it. The context of Init need not be a child of the socket's context.
func (s *socket) bind(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })
	context.AfterFunc(ctx, func() { s.cancel(context.Cause(ctx)) })
	return ctx
}
