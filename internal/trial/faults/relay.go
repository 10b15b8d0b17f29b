package main

import (
	"context"
	"io"
	"net"
	"sync"
)

// relay is the network between two processes, such as Portico and its database.
//
// A silent network differs from a refusing one in what the server can know: a refusal is an error
// at once, but silence looks like a slow response, which only a time limit ends.
type relay struct {
	listener         net.Listener
	network, address string // that it leads to

	// mu protects what follows.
	mu      sync.Mutex
	state   relayState
	changed chan struct{} // closed and replaced with each state
	open    map[net.Conn]struct{}
}

type relayState int

const (
	relayOpen    relayState = iota
	relaySilent             // nothing arrives, without an error
	relayRefused            // connections are broken, and no new one is taken
)

// openRelay opens a relay to an address, and returns it with its own.
func openRelay(ctx context.Context, network, address string) (*relay, string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	return newRelay(listener, network, address), listener.Addr().String(), nil
}

// newRelay forwards the connections of the listener to an address until it is closed.
func newRelay(listener net.Listener, network, address string) *relay {
	r := &relay{listener: listener, network: network, address: address, changed: make(chan struct{}), open: map[net.Conn]struct{}{}}
	go r.accept()
	return r
}

// set changes the state of the network.
func (r *relay) set(state relayState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state = state
	close(r.changed)
	r.changed = make(chan struct{})
	if state == relayRefused {
		for conn := range r.open {
			_ = conn.Close() // which is what is wanted
		}
	}
}

// close closes the listener and all connections.
func (r *relay) close() error {
	err := r.listener.Close()
	r.set(relayRefused)
	return err
}

// accept accepts connections until the listener is closed. In every state of the network
// the relay itself refuses them.
func (r *relay) accept() {
	for {
		in, err := r.listener.Accept()
		if err != nil {
			return
		}
		go r.serve(in)
	}
}

// serve joins a connection with one to the address. A silent network accepts
// connections, because it is cut behind the first hop.
func (r *relay) serve(in net.Conn) {
	defer r.remove(in)
	if !r.add(in) || !r.passable() {
		return
	}
	out, err := net.Dial(r.network, r.address) //nolint:noctx // local, at once
	if err != nil {
		return
	}
	defer r.remove(out)
	if !r.add(out) {
		return
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.forward(in, out)
	}()
	r.forward(out, in)
	<-ended
}

// add adds a connection to those that break together, and reports whether it may
// continue.
func (r *relay) add(conn net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[conn] = struct{}{}
	return r.state != relayRefused
}

// remove closes a connection and removes it.
func (r *relay) remove(conn net.Conn) {
	_ = conn.Close() // by us or by others, before or now
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, conn)
}

// passable waits while the network is silent, and reports whether it is open.
func (r *relay) passable() bool {
	for {
		r.mu.Lock()
		state, changed := r.state, r.changed
		r.mu.Unlock()
		if state != relaySilent {
			return state == relayOpen
		}
		<-changed
	}
}

// forward copies until either end closes, and closes both. Bytes that it reads while the
// network is silent arrive when the network is open again, or never if it breaks, as in
// the buffers of a real network.
func (r *relay) forward(to, from net.Conn) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || !r.passable() {
			return
		}
		if _, err := io.Writer(to).Write(buffer[:n]); err != nil {
			return
		}
	}
}
