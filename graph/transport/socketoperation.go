package transport

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// socketOperation is an operation of a socket. Messages with its id are sent only by it.
type socketOperation struct {
	socket *socket
	id     string
	ctx    context.Context
	cancel context.CancelFunc

	// mu is held while a message of the operation is written, so no message follows stop. After
	// stop the client may use the id again.
	mu   sync.Mutex
	done bool
}

// newSocketOperation returns an operation whose context is a child of the context of Init.
func newSocketOperation(s *socket, id string) *socketOperation {
	ctx, cancel := context.WithCancel(graphql.StartOperationTrace(s.parent))
	return &socketOperation{socket: s, id: id, ctx: ctx, cancel: cancel}
}

// run executes the operation. It sends a next message for every response, then complete. For a
// request that is not executed it sends only an error message.
//
// The client's complete cancels ctx. The messages that were on their way are then dropped by send.
func (o *socketOperation) run(params *graphql.RawParams) {
	defer o.cancel()
	op, refused := prepare(o.ctx, o.socket.exec, params)
	if refused != nil {
		o.fail(refused.Errors)
		return
	}
	present := presenter{o.socket.options.Present, o.socket.options.Logger}
	for response := op.next(); response != nil; response = op.next() {
		if isRequestError(response) {
			o.fail(response.Errors)
			return
		}
		if !o.send(message{kind: typeNext, payload: present.encode(o.ctx, response)}) {
			return
		}
	}
	o.sendLast(message{kind: typeComplete})
}

// fail ends the operation with an error message. No complete message follows ("graphql-ws", Error).
func (o *socketOperation) fail(errs gqlerror.List) {
	o.sendLast(message{kind: typeError, payload: encodeErrors(errs)})
}

// send writes a message, and reports whether another may follow.
func (o *socketOperation) send(m message) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.write(m)
}

// sendLast writes the message that ends the operation. It frees the id before, because the client
// may use the id again as soon as it has the message.
func (o *socketOperation) sendLast(m message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ctx.Err() == nil {
		o.socket.removeOperation(o)
	}
	o.write(m)
	o.done = true
}

// write writes a message, and reports whether it did. It writes nothing after the operation has
// ended, or while the socket is closing: after a complete message the client would not start the
// operation again on its next connection.
func (o *socketOperation) write(m message) bool {
	if o.done || o.ctx.Err() != nil {
		return false
	}
	m.id = o.id
	return o.socket.write(m) == nil
}

// stop ends the operation for the client.
func (o *socketOperation) stop() {
	o.cancel()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done = true
}

// encodeErrors returns the payload of an error message: a list with at least one error.
func encodeErrors(errs gqlerror.List) []byte {
	if len(errs) == 0 {
		errs = gqlerror.List{defaultError(&model.Error{Code: model.CodeInternal})}
	}
	body, err := encodeValue(errs)
	if err != nil {
		return []byte(internalErrors)
	}
	return body
}
