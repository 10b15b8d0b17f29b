package main

import (
	"io"
	"net"
	"sync"
)

// relay stands between Portico and its database, as a network does.
type relay struct {
	listener net.Listener
	socket   string // of the database

	mu      sync.Mutex
	state   relayState
	changed chan struct{} // closed and replaced with each state
	open    map[net.Conn]struct{}
}

// relayState is how the network does.
type relayState int

const (
	relayOpen    relayState = iota
	relaySilent             // nothing arrives, and nobody is told
	relayRefused            // connections are broken, and no new one is taken
)

// newRelay forwards what comes to the listener until it is closed.
func newRelay(listener net.Listener, socket string) *relay {
	r := &relay{listener: listener, socket: socket, changed: make(chan struct{}), open: map[net.Conn]struct{}{}}
	go r.accept()
	return r
}

// set changes how the network does from now on.
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

// close breaks everything for good.
func (r *relay) close() error {
	err := r.listener.Close()
	r.set(relayRefused)
	return err
}

// accept takes connections until the listener is closed, whatever the network does:
// it is we who refuse them then.
func (r *relay) accept() {
	for {
		in, err := r.listener.Accept()
		if err != nil {
			return
		}
		go r.serve(in)
	}
}

// serve joins a connection with one to the database. A silent network takes
// connections: it is behind the first hop that it is cut.
func (r *relay) serve(in net.Conn) {
	defer r.forget(in)
	if !r.keep(in) || !r.passable() {
		return
	}
	out, err := net.Dial("unix", r.socket) //nolint:noctx // local, at once
	if err != nil {
		return
	}
	defer r.forget(out)
	if !r.keep(out) {
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

// keep has a connection broken with the others, and reports whether it may go on.
func (r *relay) keep(conn net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[conn] = struct{}{}
	return r.state != relayRefused
}

// forget closes a connection and lets go of it.
func (r *relay) forget(conn net.Conn) {
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

// forward copies until one of the two ends, and ends both then. What it has read
// while the network is silent arrives when it is open again, and never where it
// breaks: as in the buffers of a real one.
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
