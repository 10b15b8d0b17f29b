package server

import (
	"errors"
	"fmt"

	"portico/worker/mail"
)

// mailSender returns the sender of mail, or nil if no mail server is configured.
func (c *Config) mailSender() (*mail.Sender, error) {
	if c.SMTPURL == "" {
		return nil, nil
	}
	sender, err := mail.NewSender(c.SMTPURL, c.SMTPFrom)
	if err != nil {
		return nil, fmt.Errorf("PORTICO_SMTP_URL: %w", err)
	}
	return sender, nil
}

// checkMail checks the settings of the mail server. Its errors never contain the password.
func (c *Config) checkMail() error {
	switch {
	case c.SMTPURL == "" && c.SMTPFrom != "":
		return errors.New("PORTICO_SMTP_URL: must be set with PORTICO_SMTP_FROM")
	case c.SMTPURL != "" && c.SMTPFrom == "":
		return errors.New("PORTICO_SMTP_FROM: must be set with PORTICO_SMTP_URL")
	}
	_, err := c.mailSender()
	return err
}
