package transport

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// subscriber is one operation of a socket and the only one who sends for its id.
type subscriber struct {
	socket *socket
	id     string
	ctx    context.Context
	cancel context.CancelFunc

	// mu is held while a message of the operation is written. So after stop
	// nothing of it can follow, not even when the client uses the id again.
	mu   sync.Mutex
	done bool
}

// newSubscriber makes the operation a child of what Init returned.
func newSubscriber(s *socket, id string) *subscriber {
	ctx, cancel := context.WithCancel(graphql.StartOperationTrace(s.parent))
	return &subscriber{socket: s, id: id, ctx: ctx, cancel: cancel}
}

// run executes the operation and sends what comes of it: next for every
// response, then complete; or error, alone, for a request that is not executed.
func (o *subscriber) run(params *graphql.RawParams) {
	defer o.cancel()
	op, refused := prepare(o.ctx, o.socket.exec, params)
	if refused != nil {
		o.fail(refused.Errors)
		return
	}
	render := presenter(o.socket.options.Present)
	for response := op.next(); response != nil; response = op.next() {
		if isRequestError(response) {
			o.fail(response.Errors)
			return
		}
		if !o.send(message{kind: typeNext, payload: render.encode(o.ctx, response)}) {
			return
		}
	}
	o.last(message{kind: typeComplete})
}

// fail ends the operation with an error message. No complete follows it
// ("graphql-ws", Error).
func (o *subscriber) fail(errs gqlerror.List) {
	o.last(message{kind: typeError, payload: encodeErrors(errs)})
}

// send writes a message and reports whether another may follow.
func (o *subscriber) send(m message) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.write(m)
}

// last writes the message that ends the operation. The id is free before the
// client learns of the end, since it may use the id again at once.
func (o *subscriber) last(m message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ctx.Err() == nil {
		o.socket.forget(o)
	}
	o.write(m)
	o.done = true
}

// write keeps silent once the operation is done, and when the socket is about
// to close: a complete would tell the client that the operation had ended by
// itself, and it would not start it again after it has connected anew.
func (o *subscriber) write(m message) bool {
	if o.done || o.ctx.Err() != nil {
		return false
	}
	m.id = o.id
	return o.socket.write(m) == nil
}

// stop ends the operation for the client.
func (o *subscriber) stop() {
	o.cancel()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done = true
}

// encodeErrors returns the payload of an error message, which is a list of at
// least one error.
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
