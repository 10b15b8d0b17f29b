package dial

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// hosts are the servers of an address: a primary and its standbys, of which any may be the primary
// next. All connections of a process, of both drivers, share one value, so that what one of them
// learns about the primary holds for all.
//
// current is the server that is used. When another one accepts a connection, it has become the
// primary, and the connections to the former are closed: a statement that waits for the response of
// a server that is cut off ends at once.
type hosts struct {
	servers [][]*pgconn.FallbackConfig // the ways to connect to each server, in their order

	mu      sync.Mutex
	current int
	links   map[*link]struct{} // open
	failure error              // of the last search, which found no server
	failed  time.Time
}

const (
	// hostTimeout limits connecting to one of several servers, if the address has no connect_timeout.
	hostTimeout = 3 * time.Second
	// headStart is how long a server is tried alone. The next one is tried beside it, because a server
	// that is cut off refuses nothing.
	headStart = 300 * time.Millisecond
	// failureAge is how long a search that found no server is not repeated, so that the requests that
	// wait for a connection do not search one after the other.
	failureAge = 250 * time.Millisecond
)

// ErrNotAcceptable is the error of a server that target_session_attrs excludes.
var ErrNotAcceptable = errors.New("the server is not what target_session_attrs asks for")

// newHosts groups the ways to connect by their server.
func newHosts(attempts []*pgconn.FallbackConfig) *hosts {
	h := &hosts{links: map[*link]struct{}{}}
	for i, attempt := range attempts {
		if i > 0 && attempt.Host == attempts[i-1].Host && attempt.Port == attempts[i-1].Port {
			h.servers[len(h.servers)-1] = append(h.servers[len(h.servers)-1], attempt)
		} else {
			h.servers = append(h.servers, []*pgconn.FallbackConfig{attempt})
		}
	}
	return h
}

func (h *hosts) areSeveral() bool { return len(h.servers) > 1 }

// order returns the servers in the order in which they are tried: the current one first.
func (h *hosts) order() []int {
	h.mu.Lock()
	defer h.mu.Unlock()
	order := make([]int, len(h.servers))
	for i := range order {
		order[i] = (h.current + i) % len(order)
	}
	return order
}

// connectFirst returns the connection of the first server to which open succeeds. discard closes
// the connection of one that succeeds later.
func connectFirst[T any](ctx context.Context, h *hosts, open func(ctx context.Context, server int) (T, error), discard func(T)) (T, error) {
	var none T
	order := h.order()
	if len(order) == 1 {
		return open(ctx, 0)
	}
	if err := h.recentFailure(); err != nil {
		return none, err
	}
	type result struct {
		opened T
		server int
		err    error
	}
	results := make(chan result, len(order))
	trying, cancel := context.WithCancel(ctx)
	defer cancel()
	started, running := 0, 0
	start := func() {
		server := order[started]
		started, running = started+1, running+1
		go func() {
			opened, err := open(trying, server)
			results <- result{opened, server, err}
		}()
	}
	start()
	var failed []error
	for running > 0 {
		var next <-chan time.Time
		if started < len(order) {
			next = time.After(headStart)
		}
		select {
		case <-next:
			start()
		case r := <-results:
			running--
			if r.err == nil {
				go func() {
					for range running {
						if late := <-results; late.err == nil {
							discard(late.opened)
						}
					}
				}()
				h.choose(r.server)
				return r.opened, nil
			}
			failed = append(failed, r.err)
			if started < len(order) {
				start()
			}
		}
	}
	err := errors.Join(failed...)
	if !errors.Is(ctx.Err(), context.Canceled) {
		h.fail(err)
	}
	return none, err
}

// recentFailure returns the error of a search that has just found no server.
func (h *hosts) recentFailure() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.failed) > failureAge {
		return nil
	}
	return h.failure
}

func (h *hosts) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failure, h.failed = err, time.Now()
}

// choose makes a server the current one, and closes the connections to all others if it was not.
func (h *hosts) choose(server int) {
	h.mu.Lock()
	h.failure = nil
	changed := h.current != server
	h.current = server
	h.mu.Unlock()
	if changed {
		h.closeLinks(func(l *link) bool { return l.server != server })
	}
}

// closeLinks closes the connections for which the function returns true. What waits for their
// responses fails at once.
func (h *hosts) closeLinks(these func(*link) bool) {
	for _, l := range h.linksWith(these) {
		l.retired.Store(true)
		_ = l.Close() // nothing is left to do with it
	}
}

// retire lets the connections to a server end after the statement or the transaction that they run.
func (h *hosts) retire(server int) {
	for _, l := range h.linksWith(func(l *link) bool { return l.server == server }) {
		l.retired.Store(true)
	}
}

func (h *hosts) linksWith(these func(*link) bool) (found []*link) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.links {
		if these(l) {
			found = append(found, l)
		}
	}
	return found
}

// link is a connection to a server, below TLS and the driver.
type link struct {
	net.Conn
	hosts  *hosts
	server int
	// retired means that no statement may begin on the connection any more.
	retired atomic.Bool
}

func (h *hosts) newLink(conn net.Conn, server int) *link {
	l := &link{Conn: conn, hosts: h, server: server}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.links[l] = struct{}{}
	return l
}

// Close implements net.Conn.
func (l *link) Close() error {
	l.hosts.mu.Lock()
	delete(l.hosts.links, l)
	l.hosts.mu.Unlock()
	return l.Conn.Close()
}

// NetConn returns the connection of the system, as that of tls.Conn does.
func (l *link) NetConn() net.Conn { return l.Conn }

// linkOf returns the link below a connection of a driver; nil if it has none.
func linkOf(conn net.Conn) *link {
	for {
		if l, ok := conn.(*link); ok {
			return l
		}
		upper, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return nil
		}
		conn = upper.NetConn()
	}
}

// mayServe reports whether the next statement may use a connection that was idle.
func mayServe(conn net.Conn) bool {
	l := linkOf(conn)
	return (l == nil || !l.retired.Load()) && isIdle(conn)
}
