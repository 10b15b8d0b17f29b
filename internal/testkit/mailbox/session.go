package mailbox

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
)

// session is a connection of a client. Only its own goroutine uses it. from and to are the
// addresses of the mail that was started.
type session struct {
	server     *Server
	conn       *textproto.Conn
	isSignedIn bool
	greeting   string
	from, to   string
}

// run handles commands until the client quits or the connection closes. RFC 5321 section 4 defines
// the commands and codes; the second number of a reply is an enhanced status code (RFC 3463).
func (s *session) run() {
	s.reply("220 mailbox ESMTP")
	for {
		line, err := s.conn.ReadLine()
		if err != nil {
			return // the client or Server.close has closed the connection
		}
		verb, argument, _ := strings.Cut(line, " ")
		switch strings.ToUpper(verb) {
		case "EHLO":
			s.greeting = argument
			s.reply("250-mailbox", "250-8BITMIME", "250 AUTH PLAIN")
		case "AUTH":
			s.handleAuth(argument)
		case "MAIL":
			s.handleMail(argument)
		case "RCPT":
			if s.server.refusesGreeting(s.greeting) {
				s.reply("504 5.5.2 <" + s.greeting + ">: Helo command rejected: need fully-qualified hostname")
				continue
			}
			s.to = addressIn(argument)
			s.reply("250 2.1.5 OK")
		case "DATA":
			if !s.handleData() {
				return
			}
		case "RSET":
			s.from, s.to = "", ""
			s.reply("250 2.0.0 OK")
		case "NOOP":
			s.reply("250 2.0.0 OK")
		case "QUIT":
			s.reply("221 2.0.0 Bye")
			return
		default:
			s.reply("502 5.5.1 Command not implemented")
		}
	}
}

// reply sends the lines of one reply.
func (s *session) reply(lines ...string) {
	// An error also fails the next read.
	_ = s.conn.PrintfLine("%s", strings.Join(lines, "\r\n"))
}

// handleAuth carries out AUTH PLAIN with an initial response (RFC 4616).
func (s *session) handleAuth(argument string) {
	mechanism, response, _ := strings.Cut(argument, " ")
	decoded, err := base64.StdEncoding.DecodeString(response)
	if strings.ToUpper(mechanism) != "PLAIN" || err != nil || string(decoded) != "\x00"+user+"\x00"+password {
		s.reply("535 5.7.8 Wrong user or password")
		return
	}
	s.isSignedIn = true
	s.reply("235 2.7.0 Signed in")
}

func (s *session) handleMail(argument string) {
	switch {
	case s.server.refusesMail():
		s.reply("451 4.3.0 Come back later")
	case !s.isSignedIn:
		s.reply("530 5.7.0 Sign in first")
	default:
		s.from = addressIn(argument)
		s.reply("250 2.1.0 OK")
	}
}

// handleData reads the message and delivers the mail. It reports whether the connection stays open.
func (s *session) handleData() bool {
	if s.from == "" || s.to == "" {
		s.reply("503 5.5.1 MAIL and RCPT come first")
		return true
	}
	s.reply("354 Send the message")
	content, err := s.conn.ReadDotBytes()
	if err != nil {
		return false
	}
	m, err := parse(content)
	if err != nil {
		s.reply("554 5.6.0 The message is malformed: " + err.Error())
		return true
	}
	m.From, m.To = s.from, s.to
	s.server.arrived <- m
	if s.server.hangsUp(HangUpBeforeReply) {
		return false
	}
	s.reply("250 2.0.0 OK")
	return !s.server.hangsUp(HangUpAfterReply)
}

// addressIn returns the address in the argument of MAIL and RCPT, such as "FROM:<ada@example.com>".
func addressIn(argument string) string {
	_, rest, _ := strings.Cut(argument, "<")
	found, _, _ := strings.Cut(rest, ">")
	return found
}

// parse returns the content of a message, without its sender and recipient.
func parse(content []byte) (Mail, error) {
	message, err := mail.ReadMessage(bytes.NewReader(content))
	if err != nil {
		return Mail{}, err
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
	if err != nil {
		return Mail{}, err
	}
	body := message.Body
	if message.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	return Mail{Subject: subject, Language: message.Header.Get("Content-Language"), Body: string(text)}, err
}
