// Package mailbox is an SMTP server for tests: it takes every mail, and tests read it.
package mailbox

import (
	"errors"
	"io"
	"mime"
	"net"
	"net/mail"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"mime/quotedprintable"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// patience is how long a test waits for a mail. The machine may be busy.
const patience = 2 * time.Minute

// The credentials that the server wants.
const (
	user     = "portico"
	password = "p@ss word"
)

// Server is a running SMTP server.
type Server struct {
	t       testing.TB
	address string
	arrived chan Mail

	mu   sync.Mutex
	down bool
}

// Mail is a mail as its reader sees it.
type Mail struct {
	From, To, Subject, Language, Body string
}

// Link returns the address in the mail.
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
	s := &Server{t: t, address: listener.Addr().String(), arrived: make(chan Mail, 100)}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }))
	server.AllowInsecureAuth = true
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-ended
	})
	return s
}

// URL returns the address of the server with its credentials, as a setting of Portico.
func (s *Server) URL() string {
	return (&url.URL{Scheme: "smtp", User: url.UserPassword(user, password), Host: s.address}).String()
}

// SetDown makes the server refuse mail for now, or take it again.
func (s *Server) SetDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// Next returns the next mail that arrived.
func (s *Server) Next() Mail {
	s.t.Helper()
	select {
	case m := <-s.arrived:
		return m
	case <-time.After(patience):
		s.t.Fatal("no mail arrived")
		return Mail{}
	}
}

// Waiting returns how many mails have arrived that Next has not returned.
func (s *Server) Waiting() int { return len(s.arrived) }

// session is a connection of a client.
type session struct {
	server   *Server
	signedIn bool
	from, to string
}

// AuthMechanisms implements smtp.AuthSession.
func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth implements smtp.AuthSession.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, u, p string) error {
		if u != user || p != password {
			return errors.New("wrong user or password")
		}
		s.signedIn = true
		return nil
	}), nil
}

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.server.down {
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "Come back later"}
	}
	if !s.signedIn {
		return smtp.ErrAuthRequired
	}
	s.from = from
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	message, err := mail.ReadMessage(r)
	if err != nil {
		return err
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
	if err != nil {
		return err
	}
	body := message.Body
	if message.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	s.server.arrived <- Mail{s.from, s.to, subject, message.Header.Get("Content-Language"), string(text)}
	return nil
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.from, s.to = "", "" }

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }
