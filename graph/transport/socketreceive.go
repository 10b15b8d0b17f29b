package transport

import (
	"errors"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"

	"portico/model"
)

// receive handles one message. Its error ends the socket. It must not wait for an operation: during
// the wait the socket would not answer pings, or notice that the client has disconnected.
func (s *socket) receive(frame websocket.MessageType, body []byte) error {
	start := graphql.Now()
	m, err := parseMessage(frame, body)
	if err != nil {
		return err
	}
	switch m.kind {
	case typeInit:
		return s.startInit(m.payload)
	case typePing: // allowed at any time, even before the acknowledgement
		return s.write(message{kind: typePong, payload: m.payload})
	case typeSubscribe:
		return s.subscribe(m, start)
	case typeComplete:
		s.complete(m.id)
	}
	return nil // a pong needs no response
}

// subscribe starts an operation of any kind.
func (s *socket) subscribe(m message, start time.Time) error {
	params, err := decodeParams(m.payload)
	if err != nil {
		return invalidMessage(model.AsError(err).Message)
	}
	params.Headers = s.header // of the handshake: messages have no headers
	params.ReadTime = graphql.TraceTiming{Start: start, End: graphql.Now()}
	o, err := s.addOperation(m.id)
	if _, ok := errors.AsType[*model.Error](err); ok {
		return s.refuse(m.id, err)
	}
	if err != nil {
		return err
	}
	s.tasks.Go(func() {
		defer s.operationEnded()
		o.run(params)
	})
	return nil
}

// addOperation adds an operation. Its error is a *closeError, which ends the socket, or a
// *model.Error, which refuses only the operation.
func (s *socket) addOperation(id string) (*socketOperation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parent == nil {
		return nil, newCloseError(closeUnauthorized, "Unauthorized")
	}
	if s.operations[id] != nil {
		return nil, newCloseError(closeSubscriber, "Subscriber for "+id+" already exists")
	}
	// An operation that the client has completed may take a moment to stop. It does not count as
	// active, but the second limit keeps a client from having many of them.
	limit := s.options.MaxOperations
	if len(s.operations) >= limit || s.running >= 2*limit {
		return nil, &model.Error{Code: model.CodeRateLimited, Message: "Too many operations on this connection"}
	}
	o := newSocketOperation(s, id)
	s.operations[id] = o
	s.running++
	return o, nil
}

// refuse sends an error message for the id of an operation that was not added. It ends
// the operation for the client, as the error of an invalid document does.
func (s *socket) refuse(id string, err error) error {
	payload := encodeErrors(presenter{s.options.Present, s.options.Logger}.refused(s.ctx, err).Errors)
	return s.write(message{kind: typeError, id: id, payload: payload})
}

// complete stops an operation that the client has completed. An unknown id belongs to an
// operation that has just ended ("graphql-ws", Complete).
func (s *socket) complete(id string) {
	s.mu.Lock()
	o := s.operations[id]
	delete(s.operations, id)
	s.mu.Unlock()
	if o != nil {
		o.stop()
	}
}

// removeOperation frees the id of an operation, unless another operation has the id now.
func (s *socket) removeOperation(o *socketOperation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.operations[o.id] == o {
		delete(s.operations, o.id)
	}
}

// operationEnded stops counting the goroutine of an operation. The goroutine calls it at its end.
func (s *socket) operationEnded() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}
