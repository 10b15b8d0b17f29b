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

// socket is one connection. Everything that can end it cancels ctx with a cause,
// and the first cause decides how serve closes the connection.
type socket struct {
	options WebSocket
	conn    *websocket.Conn
	exec    graphql.GraphExecutor
	header  http.Header
	// ctx descends from that of the request, so it ends when the server stops.
	ctx context.Context
	end context.CancelCauseFunc
	// tasks are the goroutines: reading, pinging, Init, and every operation.
	tasks sync.WaitGroup
	// writing makes messages wait for each other without a time limit of their
	// own: only the one that is being written can be late.
	writing sync.Mutex

	mu         sync.Mutex // guards what follows
	initiated  bool
	parent     context.Context // of the operations; nil before connection_ack
	release    func()
	operations map[string]*subscriber // active, by id
	running    int                    // goroutines of operations, also of completed ones
}

func newSocket(options WebSocket, conn *websocket.Conn, r *http.Request, exec graphql.GraphExecutor) *socket {
	ctx, end := context.WithCancelCause(r.Context())
	return &socket{
		options: options, conn: conn, exec: exec, header: r.Header, ctx: ctx, end: end,
		release: func() {}, operations: map[string]*subscriber{},
	}
}

// serve runs the socket to its end. It returns when every task has: an operation
// that minds its context ends with the socket, so no goroutine is left behind.
func (s *socket) serve() {
	waiting := time.AfterFunc(s.options.InitTimeout, s.expire)
	s.tasks.Go(s.read)
	s.tasks.Go(s.ping)
	<-s.ctx.Done()
	waiting.Stop()
	s.close(endingFor(context.Cause(s.ctx)))
	s.tasks.Wait()
	s.release()
}

// close says why, where the peer can still hear it: the library sends the frame
// and waits a few seconds for its echo, for a connection that is cut at once may
// lose the frame. It is what makes read return.
func (s *socket) close(cause error) {
	if c, ok := errors.AsType[*closeError](cause); ok {
		_ = s.conn.Close(c.code, c.reason) // closed either way
		return
	}
	_ = s.conn.CloseNow() // closed either way
}

// expire ends a socket that was not initialised in time.
func (s *socket) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.initiated {
		s.end(closing(closeInitTimeout, "Connection initialisation timeout"))
	}
}

// read hands every message on until the socket ends. It is not bound by ctx: a
// read that is cancelled closes the connection before a close frame can be sent.
func (s *socket) read() {
	for {
		frame, body, err := s.conn.Read(context.WithoutCancel(s.ctx))
		switch {
		case errors.Is(err, websocket.ErrMessageTooBig):
			// The library has sent this code with a text of its own; closing
			// again waits until the peer has read it.
			err = closing(websocket.StatusMessageTooBig, "Message too big")
		case err != nil:
			err = errGone
		case s.ctx.Err() != nil:
			return
		default:
			err = s.receive(frame, body)
		}
		if err != nil {
			s.end(err)
			return
		}
	}
}

// write sends one message before the deadline. Like read it is not bound by ctx.
// A client that does not read holds up the others' messages until then, after
// which the connection is closed and all of them return.
func (s *socket) write(m message) error {
	body, err := m.encode()
	if err != nil {
		return err
	}
	defer s.options.Backlog.Enter(len(body), time.Now(), func() { go s.letGo() })()
	s.writing.Lock()
	defer s.writing.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), s.options.WriteTimeout)
	defer cancel()
	if err := s.conn.Write(ctx, websocket.MessageText, body); err != nil {
		// On a closed connection read knows better why it was closed.
		if !errors.Is(err, net.ErrClosed) {
			s.end(errGone)
		}
		return fmt.Errorf("write %s: %w", m.kind, err)
	}
	return nil
}

// letGo ends a socket whose peer does not read. There is no goodbye that would
// reach it.
func (s *socket) letGo() {
	s.end(errGone)
	_ = s.conn.CloseNow() // closed either way
}

// ping finds peers that vanished without closing. While a message is being
// written its deadline does that, and a ping would wait behind it.
func (s *socket) ping() {
	ticker := time.NewTicker(s.options.PingInterval)
	defer ticker.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-ticker.C:
		}
		if !s.writing.TryLock() {
			continue
		}
		s.writing.Unlock()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), s.options.PingInterval)
		err := s.conn.Ping(ctx)
		cancel()
		if err != nil {
			s.end(errGone)
			return
		}
	}
}
