package transport

import (
	"errors"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"

	"portico/model"
)

// receive acts on one message. Its error ends the socket. It must not wait for an
// operation: while it does, nobody answers pings or hears that the client leaves.
func (s *socket) receive(frame websocket.MessageType, body []byte) error {
	start := graphql.Now()
	m, err := parseMessage(frame, body)
	if err != nil {
		return err
	}
	switch m.kind {
	case typeInit:
		return s.initiate(m.payload)
	case typePing: // answered at any time, also before the acknowledgement
		return s.write(message{kind: typePong, payload: m.payload})
	case typeSubscribe:
		return s.subscribe(m, start)
	case typeComplete:
		s.complete(m.id)
	}
	return nil // a pong needs no answer
}

// subscribe starts an operation of any kind.
func (s *socket) subscribe(m message, start time.Time) error {
	params, err := decodeParams(m.payload)
	if err != nil {
		return invalidMessage(model.AsError(err).Message)
	}
	params.Headers = s.header // those of the handshake: messages have none
	params.ReadTime = graphql.TraceTiming{Start: start, End: graphql.Now()}
	o, err := s.admit(m.id)
	if _, ok := errors.AsType[*model.Error](err); ok {
		return s.refuse(m.id, err)
	}
	if err != nil {
		return err
	}
	s.tasks.Go(func() {
		defer s.leave()
		o.run(params)
	})
	return nil
}

// admit registers an operation. A *closeError ends the socket, a model.Error
// refuses only the operation.
func (s *socket) admit(id string) (*subscriber, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parent == nil {
		return nil, closing(closeUnauthorized, "Unauthorized")
	}
	if s.operations[id] != nil {
		return nil, closing(closeSubscriber, "Subscriber for "+id+" already exists")
	}
	// Operations that the client has completed may take a moment to stop, so
	// they count apart; but a client cannot pile them up.
	limit := s.options.MaxOperations
	if len(s.operations) >= limit || s.running >= 2*limit {
		return nil, &model.Error{Code: model.CodeRateLimited, Message: "Too many operations on this connection"}
	}
	o := newSubscriber(s, id)
	s.operations[id] = o
	s.running++
	return o, nil
}

// refuse answers an operation that was not admitted with an error message for
// its id, which ends it as a document that is not valid does.
func (s *socket) refuse(id string, err error) error {
	payload := encodeErrors(presenter(s.options.Present).refused(s.ctx, err).Errors)
	return s.write(message{kind: typeError, id: id, payload: payload})
}

// complete stops an operation that the client has had enough of. An id that is
// not known belongs to one that has just ended ("graphql-ws", Complete).
func (s *socket) complete(id string) {
	s.mu.Lock()
	o := s.operations[id]
	delete(s.operations, id)
	s.mu.Unlock()
	if o != nil {
		o.stop()
	}
}

// forget frees the id of an operation, unless another one has it by now.
func (s *socket) forget(o *subscriber) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.operations[o.id] == o {
		delete(s.operations, o.id)
	}
}

// leave counts a goroutine out. It is the last thing that an operation does.
func (s *socket) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}
