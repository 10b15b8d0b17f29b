package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"
)

// document subscribes to all changes of a space.
func document(space string) string {
	body, _ := json.Marshal(map[string]any{ // strings alone: never fails
		"query":     "subscription($id: ID!) { space(id: $id) { ... on EntityCreated { entity { data } } ... on EntityChanged { entity { data } } } }",
		"variables": map[string]string{"id": space},
	})
	return string(body)
}

// subscribe returns the message that subscribes to a space.
func subscribe(id, space string) string {
	return fmt.Sprintf(`{"id":%q,"type":"subscribe","payload":%s}`, id, document(space))
}

// subscription is a connection with a subscription to a space. Messages that are not read stay in
// the buffers of the system. next and end come from the transport. seen[i] is when revision i, or a
// later one, arrived.
type subscription struct {
	// next reads the next message. It blocks until end is called, and has no context.
	next func() ([]byte, error)
	// end closes the connection. It may be called several times.
	end func()
	// resubscribe subscribes once more over the same socket.
	resubscribe func(ctx context.Context, id, space string) error

	// mu protects the fields below, which follow sets.
	mu      sync.Mutex
	seen    []time.Time // when a revision, or a later one, arrived
	failed  error
	changed chan struct{} // closed and replaced with each revision
}

// newSubscription returns a subscription that reads by next and is closed by end.
func newSubscription(next func() ([]byte, error), end func()) *subscription {
	return &subscription{next: next, end: end, changed: make(chan struct{})}
}

// dialer returns a dialer. A small receive buffer holds little, so the server soon waits
// for the client.
func dialer(smallBuffer bool) *net.Dialer {
	if !smallBuffer {
		return &net.Dialer{}
	}
	return &net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		failed := c.Control(func(fd uintptr) {
			// Before the connection is made, else the window is already announced to the
			// server (tcp(7)).
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		})
		return errors.Join(err, failed)
	}}
}

// openSocket subscribes over a WebSocket.
func openSocket(ctx context.Context, s *server, key, space string, smallBuffer bool) (*subscription, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	transport := &http.Transport{DialContext: dialer(smallBuffer).DialContext}
	conn, _, err := websocket.Dial(ctx, "ws://"+s.address+"/graphql", &websocket.DialOptions{ //nolint:bodyclose // the library's
		HTTPClient: &http.Client{Transport: transport}, Subprotocols: []string{"graphql-transport-ws"},
	})
	if err != nil {
		return nil, err
	}
	// The library refuses messages over 32 KB, and a snapshot with padding is larger.
	conn.SetReadLimit(1 << 20)
	hello := fmt.Sprintf(`{"type":"connection_init","payload":{"Authorization":"Bearer %s"}}`, key)
	for _, text := range []string{hello, subscribe("1", space)} {
		if err := conn.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
			return nil, errors.Join(err, conn.CloseNow())
		}
		// The acknowledgement, then the first state: the subscription is active.
		if _, body, err := conn.Read(ctx); err != nil || bytes.Contains(body, []byte(`"error"`)) {
			return nil, errors.Join(fmt.Errorf("subscribe: got %q: %w", body, err), conn.CloseNow())
		}
	}
	next := func() ([]byte, error) {
		_, body, err := conn.Read(context.Background()) // end ends it
		return body, err
	}
	socket := newSubscription(next, func() { _ = conn.CloseNow() }) // it may have been dropped
	socket.resubscribe = func(ctx context.Context, id, space string) error {
		return conn.Write(ctx, websocket.MessageText, []byte(subscribe(id, space)))
	}
	return socket, nil
}

// openStream subscribes by server-sent events.
func openStream(ctx context.Context, s *server, key, space string, smallBuffer bool) (*subscription, error) {
	conn, err := dialer(smallBuffer).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return nil, err
	}
	body := document(space)
	// By hand, because net/http's client reads ahead: a reader that stops must leave the
	// bytes to the system's buffers.
	_, err = fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nAccept: text/event-stream\r\nContent-Length: %d\r\n\r\n%s",
		s.address, key, len(body), body)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	lines := bufio.NewReaderSize(conn, 4096)
	next := func() ([]byte, error) {
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil || bytes.HasPrefix(line, []byte("data: ")) {
				return line, err
			}
		}
	}
	end := func() { _ = conn.Close() } // it may have been dropped
	if _, err := next(); err != nil {
		end()
		return nil, fmt.Errorf("read the first event: %w", err)
	}
	return newSubscription(next, end), nil
}

// revisionIn returns the revision in a message, -1 if it has none.
// The padding is as long as the message, so it is not decoded.
func revisionIn(message []byte) int {
	_, after, found := strings.Cut(string(message), `"revision":`)
	var revision int
	if _, err := fmt.Sscanf(strings.TrimSpace(after), "%d", &revision); !found || err != nil {
		return -1
	}
	return revision
}

// follow reads until the connection ends, and records when each revision arrived. A revision
// includes the earlier ones, which the server has left out. It is the only reader of the
// connection.
func (s *subscription) follow() {
	for {
		message, err := s.next()
		now, revision := time.Now(), revisionIn(message)
		s.mu.Lock()
		s.failed = err
		// Streams show the newest state. A revision that was skipped arrived, for its
		// reader, with the one that replaced it.
		for len(s.seen) <= revision {
			s.seen = append(s.seen, now)
		}
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// await waits for the revision and returns when it, and each one before, arrived.
func (s *subscription) await(ctx context.Context, revision int) ([]time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		s.mu.Lock()
		seen, failed, changed := s.seen, s.failed, s.changed
		s.mu.Unlock()
		if len(seen) > revision {
			return seen, nil
		}
		if failed != nil {
			return nil, failed
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("got %d changes of %d: %w", len(seen)-1, revision, ctx.Err())
		case <-changed:
		}
	}
}

// catchUp reads until the revision arrives, or finds that the server has
// dropped the connection.
func (s *subscription) catchUp(revision int) (dropped bool, err error) {
	// next has no context: the end of the connection is what stops it.
	timeout := time.AfterFunc(30*time.Second, s.end)
	for {
		message, err := s.next()
		if err != nil && !timeout.Stop() {
			return false, errors.New("a reader that resumed neither got the newest state nor was dropped")
		}
		if err != nil || revisionIn(message) == revision {
			timeout.Stop()
			return err != nil, nil //nolint:nilerr // a connection that has ended is an answer
		}
	}
}

func (s *subscription) close() { s.end() }
