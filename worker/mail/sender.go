package mail

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"portico/internal/publicnet"
	"portico/model"
)

// sendTimeout limits the connection with the mail server.
const sendTimeout = 30 * time.Second

// Sender sends mail through one mail server. It is safe for concurrent use. NewSender returns
// one.
type Sender struct {
	host    string
	options []gomail.Option
	from    *netmail.Address
	name    string
	// encrypted reports whether the connection has TLS from the start.
	encrypted bool
}

// Options configures NewSender.
type Options struct {
	// Server is the address of the mail server, such as smtp://user:password@host:587. The default
	// ports are 587 for smtp and 465 for smtps.
	Server string
	// From is the e-mail address that mail comes from.
	From string
	// Greeting is the name of this machine, with which it greets the mail server (EHLO). Strict
	// servers take full domain names only. Empty means what the system calls the machine.
	Greeting string
	// Name is the name of the server in the texts. Empty means Portico.
	Name string
}

// greetingPattern matches a domain name and an address literal (RFC 5321 section 4.1.3).
var greetingPattern = regexp.MustCompile(`^([A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?|\[[0-9A-Za-z:.]+\])$`)

// CheckGreeting returns an error unless the text can be an Options.Greeting.
func CheckGreeting(name string) error {
	if name != "" && !greetingPattern.MatchString(name) {
		return fmt.Errorf("%q is not a host name such as portico.example", name)
	}
	return nil
}

// NewSender returns a sender. It does not connect. Its errors never contain the password.
//
// The three ways in which a connection is protected:
//
//	smtps               TLS from the start
//	smtp, this machine  STARTTLS if the server offers it
//	smtp, elsewhere     STARTTLS, or the mail is not sent
func NewSender(o Options) (*Sender, error) {
	u, err := parseAddress(o.Server)
	if err != nil {
		return nil, err
	}
	from, err := netmail.ParseAddress(o.From)
	if err != nil {
		return nil, fmt.Errorf("the sender %q is not an e-mail address", o.From)
	}
	s := &Sender{host: u.Hostname(), from: from, name: o.Name, encrypted: u.Scheme == "smtps"}
	s.options = []gomail.Option{gomail.WithTimeout(sendTimeout)}
	if o.Greeting != "" {
		s.options = append(s.options, gomail.WithHELO(o.Greeting))
	}
	port, auth := 587, gomail.SMTPAuthAutoDiscover
	switch {
	case s.encrypted:
		port = 465
		s.options = append(s.options, gomail.WithSSL())
	case publicnet.IsLoopback(s.host):
		auth = gomail.SMTPAuthPlainNoEnc // discovery finds none without TLS
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	default:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil || port < 1 || port > 65535 {
			return nil, fmt.Errorf("%q is not a port", u.Port())
		}
	}
	s.options = append(s.options, gomail.WithPort(port))
	if u.User != nil {
		password, _ := u.User.Password()
		s.options = append(s.options, gomail.WithUsername(u.User.Username()), gomail.WithPassword(password), gomail.WithSMTPAuth(auth))
	}
	_, err = gomail.NewClient(s.host, s.options...)
	return s, err
}

// parseAddress returns the address of a mail server. Its errors never contain the password.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil { // not wrapped: the error would contain the address
		return nil, errors.New("is not an address such as smtp://user:password@host:587")
	}
	isServer := u.Hostname() != "" && u.RawQuery == "" && u.Fragment == "" && (u.Path == "" || u.Path == "/")
	if (u.Scheme != "smtp" && u.Scheme != "smtps") || !isServer {
		return nil, errors.New("must be smtp://USER:PASSWORD@HOST:PORT, or smtps:// for TLS from the start")
	}
	return u, nil
}

// Send sends one mail. The link is "" for a kind of mail that has no link. The error is an
// ErrRefused if another attempt would be refused too, and an ErrMaybeSent if the mail may arrive
// all the same. It opens a connection for each mail and closes it.
func (s *Sender) Send(ctx context.Context, mail model.Mail, link string) error {
	subject, body, err := compose(mail, link, s.name)
	if err != nil {
		return err
	}
	message := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := message.From(s.from.String()); err != nil {
		return fmt.Errorf("the sender: %w", err)
	}
	if err := message.To(mail.To); err != nil {
		return errors.Join(ErrRefused, err)
	}
	message.Subject(subject)
	message.SetDate()
	// Not the name of the machine, which may be bare: filters distrust such an id.
	message.SetMessageIDWithValue(rand.Text() + s.from.Address[strings.LastIndexByte(s.from.Address, '@'):])
	// Asks other machines not to send automatic responses (RFC 3834 section 5).
	message.SetGenHeader("Auto-Submitted", "auto-generated")
	message.SetGenHeader("Content-Language", mail.Language)
	message.SetBodyString(gomail.TypeTextPlain, body)
	options := s.options
	if !s.encrypted {
		var closeAll func()
		options, closeAll = withCloseAll(options)
		defer closeAll()
	}
	client, err := gomail.NewClient(s.host, options...)
	if err != nil {
		return err
	}
	err = client.DialAndSendWithContext(ctx, message)
	if message.IsDelivered() {
		// An error is then of the RSET or the QUIT that follows. The mail server has taken the
		// responsibility for the mail with its reply to DATA (RFC 5321 section 6.1).
		return nil
	}
	failed, ok := errors.AsType[*gomail.SendError](err)
	switch {
	case !ok:
	case isFinal(failed):
		err = errors.Join(ErrRefused, err)
	case failed.Reason == gomail.ErrSMTPDataClose && failed.ErrorCode() == 0: // no reply
		err = errors.Join(ErrMaybeSent, err)
	}
	return err
}

// isFinal reports whether the server refuses the mail itself, so that another attempt would be
// refused too. What an operator can mend while the mail waits is not final: how this server speaks
// and greets (500 to 504), how it signs in (530 to 538), and its own address (MAIL FROM).
func isFinal(failed *gomail.SendError) bool {
	code := failed.ErrorCode()
	switch {
	case failed.IsTemp() || code < 500 || strings.HasPrefix(failed.EnhancedStatusCode(), "4."):
		return false
	case failed.Reason == gomail.ErrSMTPMailFrom:
		return false
	}
	return code > 504 && (code < 530 || code > 538)
}

// withCloseAll returns the options with a dialer whose connections closeAll closes. The library
// leaves a connection open when STARTTLS or the sign-in fails.
func withCloseAll(options []gomail.Option) (added []gomail.Option, closeAll func()) {
	var open []net.Conn
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			open = append(open, c)
		}
		return c, err
	}
	return append(slices.Clone(options), gomail.WithDialContextFunc(dial)), func() {
		for _, c := range open {
			_ = c.Close() // fails if the client has closed it
		}
	}
}

// ErrRefused is the error of a mail that the mail server refuses for good (see isFinal), or whose
// address is not valid.
var ErrRefused = errors.New("the mail server refuses the mail")

// ErrMaybeSent is the error of a mail that the mail server may have accepted: the connection ended
// after the message, before the reply.
var ErrMaybeSent = errors.New("the mail server may have accepted the mail")
