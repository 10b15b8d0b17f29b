package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"
)

// socket is one connection. Everything that ends it cancels ctx with a cause. The first cause
// decides how serve closes the connection.
//
// The order of the locks: a socketOperation's mu, then mu or writeMu. Neither of the two is taken
// while the other is held, except by open.
type socket struct {
	options WebSocket
	conn    *websocket.Conn
	exec    graphql.GraphExecutor
	header  http.Header
	// ctx is a child of the request's context, so it ends when the server stops.
	ctx    context.Context
	cancel context.CancelCauseFunc
	// tasks are the goroutines besides the one of serve, which reads: closing, Init, dropPeer, and
	// every operation. An idle socket keeps few, because their stacks are most of its memory.
	tasks sync.WaitGroup
	// writeMu is held while a message is written. Waiting for it needs no timeout: the timeout of
	// the message that is being written limits the wait.
	writeMu sync.Mutex

	mu           sync.Mutex  // guards the fields below
	pinger       *time.Timer // counts as a task until stopPings
	initReceived bool
	parent       context.Context // of the operations; nil before connection_ack
	release      func()
	operations   map[string]*socketOperation // the active ones, by id
	running      int                         // goroutines of operations, completed ones included
}

func newSocket(options WebSocket, conn *websocket.Conn, r *http.Request, exec graphql.GraphExecutor) *socket {
	ctx, cancel := context.WithCancelCause(r.Context())
	return &socket{
		options: options, conn: conn, exec: exec, header: r.Header, ctx: ctx, cancel: cancel,
		release: func() {}, operations: map[string]*socketOperation{},
	}
}

// serve runs the socket until it ends, and returns when all its goroutines have ended. An operation
// ends with its context, which is a child of the socket's.
func (s *socket) serve() {
	initTimer := time.AfterFunc(s.options.InitTimeout, s.initTimedOut)
	s.startPings()
	s.tasks.Add(1) // done by the call, which always comes: read ends ctx
	context.AfterFunc(s.ctx, func() {
		defer s.tasks.Done()
		s.close(closeErrorOf(context.Cause(s.ctx)))
	})
	s.read()
	initTimer.Stop()
	s.stopPings()
	s.tasks.Wait()
	s.release()
}

// close sends the close frame, unless the peer has gone. The library waits a few seconds for the
// echo of the frame, because a connection that is closed immediately may lose the frame. After
// close, read returns.
func (s *socket) close(cause error) {
	if c, ok := errors.AsType[*closeError](cause); ok {
		_ = s.conn.Close(c.code, c.reason) // the connection is closed in any case
		return
	}
	_ = s.conn.CloseNow() // the connection is closed in any case
}

// initTimedOut closes a socket whose client has not sent connection_init.
func (s *socket) initTimedOut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.initReceived {
		s.cancel(newCloseError(closeInitTimeout, "Connection initialisation timeout"))
	}
}

// read receives messages until the socket ends, and ends ctx. It does not use ctx, because
// canceling a read closes the connection before a close frame can be sent.
func (s *socket) read() {
	for {
		frame, body, err := s.conn.Read(context.WithoutCancel(s.ctx))
		switch {
		case errors.Is(err, websocket.ErrMessageTooBig):
			// The library has already sent this code with its own text. Closing again waits
			// until the peer has read it.
			err = newCloseError(websocket.StatusMessageTooBig, "Message too big")
		case err != nil:
			err = errPeerGone
		case s.ctx.Err() != nil:
			return
		default:
			err = s.receive(frame, body)
		}
		if err != nil {
			s.cancel(err)
			return
		}
	}
}

// write sends one message within WriteTimeout. It does not use ctx, as read does not. A client that
// does not read delays the messages of its other operations until the timeout, which closes the
// connection and so ends all writes.
func (s *socket) write(m message) error {
	body, err := m.encode()
	if err != nil {
		return err
	}
	// The backlog calls the function only during this write, while serve waits for its task or reads.
	defer s.options.Backlog.Add(len(body), func() { s.tasks.Go(s.dropPeer) })()
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), s.options.WriteTimeout)
	defer cancel()
	if err := s.conn.Write(ctx, websocket.MessageText, body); err != nil {
		// read reports the reason of a closed connection.
		if !errors.Is(err, net.ErrClosed) {
			s.cancel(errPeerGone)
		}
		return fmt.Errorf("write %s: %w", m.kind, err)
	}
	return nil
}

// dropPeer closes the connection of a peer that does not read. It sends no close frame, because the
// peer would not read it.
func (s *socket) dropPeer() {
	s.cancel(errPeerGone)
	_ = s.conn.CloseNow() // the connection is closed in any case
}

// startPings calls ping after each PingInterval.
func (s *socket) startPings() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks.Add(1)
	s.pinger = time.AfterFunc(s.options.PingInterval, s.ping)
}

// stopPings stops the calls of ping after ctx has ended. A ping that is running ends by itself.
func (s *socket) stopPings() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pinger.Stop() {
		s.tasks.Done()
	}
}

// continuePings schedules the next ping, unless ctx has ended.
func (s *socket) continuePings() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		s.tasks.Done()
		return
	}
	s.pinger.Reset(s.options.PingInterval)
}

// ping detects peers that have gone without closing the connection. While a message is being
// written there is no ping: the timeout of the message detects the same, and the ping would wait
// for it.
func (s *socket) ping() {
	defer s.continuePings()
	if !s.writeMu.TryLock() {
		return
	}
	s.writeMu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), s.options.PingInterval)
	defer cancel()
	if err := s.conn.Ping(ctx); err != nil {
		s.cancel(errPeerGone)
	}
}
