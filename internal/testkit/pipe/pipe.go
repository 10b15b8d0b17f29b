// Package pipe serves HTTP over connections in memory, in the bubbles of testing/synctest.
package pipe

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"
)

// Transport serves a handler, and returns the transport of its clients. The connections have no
// buffers, so a write waits until the handler reads.
func Transport(t *testing.T, handler http.HandlerFunc) *http.Transport {
	t.Helper()
	listener := &pipeListener{connections: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	served := make(chan error)
	go func() { served <- server.Serve(listener) }()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		near, far := net.Pipe()
		select {
		case listener.connections <- far:
			return near, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		transport.CloseIdleConnections()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return transport
}

// pipeListener accepts the far ends of pipes.
type pipeListener struct {
	connections chan net.Conn
	closed      chan struct{}
}

// Accept implements net.Listener.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case connection := <-l.connections:
		return connection, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *pipeListener) Close() error {
	close(l.closed)
	return nil
}

// Addr implements net.Listener.
func (*pipeListener) Addr() net.Addr { return &net.IPAddr{} }
