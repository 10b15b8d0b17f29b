package main

import (
	"io"
	"net"
	"net/url"
	"path"
	"sync"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
)

// TestStop_while_the_database_is_away stops a server that has lost its database. The server must
// end within its timeout and without an error, and its log must still be JSON.
func TestStop_while_the_database_is_away(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		cut  func(*relay)
	}{
		{"with its connections broken", (*relay).breakAll},
		{"with its connections silent", (*relay).silence},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			relay, address := newRelay(t, postgres.URL(t, migrate))
			dir := dataDir(t)
			server := serve(t, dir, "PORTICO_DATABASE_URL="+address, "PORTICO_LOG_LEVEL=debug")
			check(t, probe(server.URL+"/readyz"))
			test.cut(relay)
			api.Eventually(t, "the server is not ready", func() bool { return probe(server.URL+"/readyz") != nil })
			check(t, probe(server.URL+"/livez"))
			ended := startTimer(t, "stop")
			server.Stop()
			ended()
			server.CheckJSON()
		})
	}
}

// relay is a proxy between a server and its database.
type relay struct {
	target   string
	listener net.Listener

	mu     sync.Mutex
	silent bool
	broken bool
	conns  []net.Conn
}

// newRelay returns a relay to the database, and the database URL through the relay.
func newRelay(t *testing.T, databaseURL string) (*relay, string) {
	t.Helper()
	u, err := url.Parse(databaseURL) // unix://user:password@name/path/.s.PGSQL.5432
	check(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	r := &relay{target: u.Path, listener: listener}
	go r.accept()
	t.Cleanup(r.breakAll)
	through := url.URL{Scheme: "postgres", User: u.User, Host: listener.Addr().String(), Path: path.Join("/", u.Host), RawQuery: "sslmode=disable"}
	return r, through.String()
}

func (r *relay) accept() {
	for {
		in, err := r.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("unix", r.target)
		if err != nil || !r.keep(in, out) {
			_ = in.Close()
			continue
		}
		go r.forward(in, out)
		go r.forward(out, in)
	}
}

func (r *relay) keep(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conns = append(r.conns, conns...)
	return !r.broken
}

// forward copies until the connection ends; what comes while the relay is silent
// goes nowhere.
func (r *relay) forward(to io.WriteCloser, from io.Reader) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		r.mu.Lock()
		silent := r.silent
		r.mu.Unlock()
		if silent {
			continue
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (r *relay) silence() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent = true
}

func (r *relay) breakAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = true
	_ = r.listener.Close() // closed twice at the end
	for _, conn := range r.conns {
		_ = conn.Close()
	}
}
