// Package mailbox is an SMTP server for tests. It accepts every mail, and tests read the mails. It
// implements the part of SMTP that a client without TLS uses (RFC 5321, and RFC 4954 for AUTH).
package mailbox

import (
	"errors"
	"net"
	"net/textproto"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// timeout is how long a test waits for a mail. The machine may be busy.
const timeout = 2 * time.Minute

// The credentials that the server accepts.
const (
	user     = "portico"
	password = "p@ss word"
)

// Server is a running SMTP server.
type Server struct {
	// t is the test that fails if no mail arrives.
	t        testing.TB
	listener net.Listener
	// arrived contains the mails that Next has not returned. A client waits while 100 mails are in
	// it.
	arrived chan Mail
	// refused contains a value for each mail that was refused because the server is down, up to 100.
	refused chan struct{}
	// sessions counts serve and the goroutines of the connections.
	sessions sync.WaitGroup

	mu sync.Mutex
	// mu protects the fields below.
	isDown bool
	// isStrict reports whether a client must greet with a full name.
	isStrict bool
	hangUp   HangUp
	conns    map[*textproto.Conn]bool // open connections; nil after close
}

// Mail is the content of a mail. Body is decoded.
type Mail struct {
	From, To, Subject, Language, Body string
}

// Link returns the first line that is an address, or "".
func (m Mail) Link() string {
	for line := range strings.Lines(m.Body) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "http") {
			return line
		}
	}
	return ""
}

// Start starts a server, which stops with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, listener: listener, arrived: make(chan Mail, 100), refused: make(chan struct{}, 100), conns: map[*textproto.Conn]bool{}}
	s.sessions.Go(s.serve)
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// serve accepts connections until close.
func (s *Server) serve() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return // the listener is closed
		}
		text := textproto.NewConn(conn)
		if !s.add(text) {
			_ = text.Close() // nothing was sent
			return
		}
		s.sessions.Go(func() {
			defer s.remove(text)
			(&session{server: s, conn: text}).run()
		})
	}
}

// add adds an open connection. It returns false after close.
func (s *Server) add(conn *textproto.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		return false
	}
	s.conns[conn] = true
	return true
}

// remove closes a connection.
func (s *Server) remove(conn *textproto.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
	_ = conn.Close() // the client may have closed it
}

// close closes the listener and all connections, and returns when their sessions have ended.
func (s *Server) close() error {
	s.mu.Lock()
	errs := []error{s.listener.Close()}
	for conn := range s.conns {
		_ = conn.Close() // the client may have closed it
	}
	s.conns = nil
	s.mu.Unlock()
	s.sessions.Wait()
	return errors.Join(errs...)
}

// URL returns the address of the server with its credentials, as a setting of Portico.
func (s *Server) URL() string {
	return (&url.URL{Scheme: "smtp", User: url.UserPassword(user, password), Host: s.listener.Addr().String()}).String()
}

// SetDown sets whether the server refuses mail with a temporary error.
func (s *Server) SetDown(isDown bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isDown = isDown
}

// SetStrict sets whether the server refuses the mail of clients that do not greet with a full domain
// name or an address literal, as Postfix does with reject_non_fqdn_helo_hostname.
func (s *Server) SetStrict(isStrict bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isStrict = isStrict
}

// refusesGreeting reports whether the server refuses the mail of a client with this greeting.
func (s *Server) refusesGreeting(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isStrict && !strings.Contains(strings.Trim(name, "."), ".") && !strings.HasPrefix(name, "[")
}

// HangUp is when the server closes the connection of a client that has sent a mail.
type HangUp int

// The moments of HangUp. The mail arrives in any case.
const (
	NoHangUp          HangUp = iota // the client ends the connection
	HangUpBeforeReply               // the client does not learn that the mail was accepted
	HangUpAfterReply                // the server closes the connection before the client quits
)

// SetHangUp sets when the server closes a connection.
func (s *Server) SetHangUp(when HangUp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hangUp = when
}

// hangsUp reports whether the server closes a connection at this moment.
func (s *Server) hangsUp(when HangUp) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hangUp == when
}

// refusesMail reports whether SetDown was called with true. If so, it counts a refused mail.
func (s *Server) refusesMail() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isDown {
		select {
		case s.refused <- struct{}{}:
		default: // no test waits for so many
		}
	}
	return s.isDown
}

// AwaitRefusal waits until the server has refused a mail because it is down.
func (s *Server) AwaitRefusal() {
	s.t.Helper()
	select {
	case <-s.refused:
	case <-time.After(timeout):
		s.t.Fatal("no mail was refused")
	}
}

// Next waits for the next mail, and fails the test if none arrives.
func (s *Server) Next() Mail {
	s.t.Helper()
	select {
	case m := <-s.arrived:
		return m
	case <-time.After(timeout):
		s.t.Fatal("no mail arrived")
		return Mail{}
	}
}

// Waiting returns how many mails have arrived that Next has not returned.
func (s *Server) Waiting() int { return len(s.arrived) }
