package settings

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"portico/worker/mail"
)

// MailSender returns the sender of mail, or nil if no mail server is configured.
func (c *Config) MailSender() (*mail.Sender, error) {
	if c.SMTPURL == "" {
		return nil, nil
	}
	sender, err := mail.NewSender(mail.Options{Server: c.SMTPURL, From: c.SMTPFrom, Greeting: c.mailGreeting(), Name: c.BrandName})
	if err != nil {
		return nil, fmt.Errorf("PORTICO_SMTP_URL: %w", err)
	}
	return sender, nil
}

// mailGreeting returns the name with which the server greets the mail server: the setting, else the
// host of the base URL if it is a full name or an address that others can reach. Otherwise it returns
// "" for the name of the machine, because mail servers refuse localhost from others.
func (c *Config) mailGreeting() string {
	if c.SMTPHelo != "" || c.BaseURL == "" {
		return c.SMTPHelo
	}
	base, err := url.Parse(Normalised(c.BaseURL))
	if err != nil {
		return ""
	}
	host := base.Hostname()
	ip, err := netip.ParseAddr(host)
	switch {
	case err == nil && ip.IsLoopback():
		return ""
	case err == nil && ip.Is6():
		return "[IPv6:" + host + "]" // an address literal (RFC 5321 section 4.1.3)
	case err == nil:
		return "[" + host + "]"
	case !strings.Contains(host, "."):
		return ""
	}
	return host
}

// checkMail checks the settings of the mail server. Its errors never contain the password.
func (c *Config) checkMail() error {
	switch {
	case c.SMTPURL == "" && c.SMTPFrom != "":
		return errors.New("PORTICO_SMTP_URL: must be set with PORTICO_SMTP_FROM")
	case c.SMTPURL != "" && c.SMTPFrom == "":
		return errors.New("PORTICO_SMTP_FROM: must be set with PORTICO_SMTP_URL")
	}
	if err := mail.CheckGreeting(c.SMTPHelo); err != nil {
		return fmt.Errorf("PORTICO_SMTP_HELO: %w", err)
	}
	_, err := c.MailSender()
	return err
}
