package mail

import (
	"bufio"
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"portico/model"
)

// Every kind has a text in every language, with what belongs into it.
func TestCompose_has_a_text_of_every_kind_in_every_language(t *testing.T) {
	t.Parallel()
	subjects := map[string]bool{}
	kinds := []model.MailKind{
		model.MailConfirm, model.MailReset, model.MailMoved, model.MailWebhookCreated, model.MailWebhookChanged, model.MailWebhookDeleted,
	}
	for _, kind := range kinds {
		for _, language := range model.Languages() {
			subject, body, err := compose(model.Mail{Kind: kind, To: "ada@example.com", Host: "hooks.example", Language: language}, "https://portico.example/x", "")
			if err != nil {
				t.Fatal(err)
			}
			hasLink := strings.Contains(body, "\nhttps://portico.example/x\n")
			if hasLink == kind.IsNotice() || !strings.Contains(body, "ada@example.com") || strings.ContainsAny(body, "{}") {
				t.Errorf("%s in %s: got\n%s", kind, language, body)
			}
			subjects[subject] = true
		}
	}
	if want := len(kinds) * len(model.Languages()); len(subjects) != want || subjects[""] {
		t.Errorf("subjects: got %v, want %d", subjects, want)
	}
	if _, _, err := compose(model.Mail{Kind: "other", Language: "en"}, "", ""); err == nil {
		t.Error("another kind: got no error")
	}
}

// The name of the server is in mail, and is only text there.
func TestCompose_has_the_name_of_the_server(t *testing.T) {
	t.Parallel()
	for _, language := range model.Languages() {
		subject, body, err := compose(model.Mail{Kind: model.MailReset, To: "Portico@example.com", Language: language}, "https://portico.example/x", "{link} Nord")
		if err != nil || strings.Contains(subject+body, "Portico ") || !strings.Contains(body, "{link} Nord") || !strings.Contains(body, "Portico@example.com") {
			t.Errorf("%s: got %v and\n%s\n%s", language, err, subject, body)
		}
	}
}

// The texts state how long their links are valid.
func TestCompose_states_the_lifetime_of_a_link(t *testing.T) {
	t.Parallel()
	words := map[time.Duration]map[string]string{
		time.Hour: {"en": "for an hour", "de": "eine Stunde lang", "fr": "pendant une heure", "es": "durante una hora", "ja": "1 時間有効", "zh": "1 小时内有效"},
		24 * time.Hour: {
			"en": "for 24 hours", "de": "24 Stunden lang", "fr": "pendant 24 heures", "es": "durante 24 horas", "ja": "24 時間有効", "zh": "24 小时内有效",
		},
	}
	for kind, lifetime := range map[model.MailKind]time.Duration{model.MailReset: model.ResetLifetime, model.MailConfirm: model.ConfirmLifetime} {
		for _, language := range model.Languages() {
			_, body, err := compose(model.Mail{Kind: kind, To: "ada@example.com", Language: language}, "https://portico.example/x", "")
			if err != nil {
				t.Fatal(err)
			}
			if want := words[lifetime][language]; want == "" || !strings.Contains(body, want) {
				t.Errorf("%s in %s: got\n%s\nwant the lifetime %v in it", kind, language, body, lifetime)
			}
		}
	}
}

func TestNewSender_refuses_other_addresses_and_hides_the_password(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"smtp://mail.example":                  "",
		"smtps://ada:se%40cret@mail.example":   "",
		"smtp://[::1]:2525":                    "",
		"mail.example:587":                     "must be",
		"http://mail.example":                  "must be",
		"smtp://":                              "must be",
		"smtp://mail.example?tls=no":           "must be",
		"smtp://ada:secret@mail.example:port":  "is not an address",
		"smtp://ada:secret@mail.example:99999": "is not a port",
	} {
		_, err := NewSender(Options{Server: address, From: "Portico <portico@example.com>"})
		switch {
		case err == nil && want == "":
		case err == nil || want == "" || !strings.Contains(err.Error(), want):
			t.Errorf("%s: got %v, want %q", address, err, want)
		case strings.Contains(err.Error(), "secret"):
			t.Errorf("%s: got the password in %v", address, err)
		}
	}
	if _, err := NewSender(Options{Server: "smtp://mail.example", From: "nobody"}); err == nil {
		t.Error("a sender without an address: got no error")
	}
}

// A server that offers no TLS gets neither the password nor the mail, unless it is on the same
// machine.
func TestSender_needs_TLS(t *testing.T) {
	t.Parallel()
	for host, local := range map[string]bool{
		"mail.example": false, "10.0.0.1": false, "localhost.example": false,
		"127.0.0.1": true, "[::1]": true, "localhost": true, "LOCALHOST": true,
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			said := make(chan string, 1)
			go plainServer(listener, said)
			sender, err := NewSender(Options{Server: "smtp://ada:secret@" + host + ":" + port(listener), From: "portico@example.com"})
			if err != nil {
				t.Fatal(err)
			}
			sender.host = "127.0.0.1" // where the host would be
			err = sender.Send(context.Background(), model.Mail{Kind: model.MailMoved, To: "ada@example.com", Language: "en"}, "")
			if err == nil {
				t.Error("send: got no error, although the server accepts no password")
			}
			if err := listener.Close(); err != nil {
				t.Error(err)
			}
			got := <-said
			if strings.Contains(got, "AUTH") != local || strings.Contains(got, "MAIL") || !strings.Contains(got, "EHLO") {
				t.Errorf("the client said %q, want a greeting, and the password %t", got, local)
			}
		})
	}
}

func port(l net.Listener) string {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// A reply that an operator can mend, or that passes, is not final.
func TestSender_distinguishes_final_replies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		command, reply string
		final          bool
	}{
		{"MAIL", "421 4.3.2 shutting down", false},
		{"MAIL", "553 5.7.1 not your address", false},
		{"RCPT", "450 4.2.0 greylisted", false},
		{"RCPT", "504 5.5.2 need fully-qualified hostname", false},
		{"RCPT", "530 5.7.0 sign in first", false},
		{"RCPT", "550 4.7.1 try later", false},
		{"RCPT", "550 5.1.1 no such mailbox", true},
		{"DATA", "554 5.7.1 refused", true},
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go scriptedServer(listener, test.command, test.reply)
		sender, err := NewSender(Options{Server: "smtp://" + listener.Addr().String(), From: "portico@example.com", Greeting: "portico.example"})
		if err != nil {
			t.Fatal(err)
		}
		err = sender.Send(t.Context(), model.Mail{Kind: model.MailMoved, To: "ada@example.com", Language: "en"}, "")
		if err == nil || errors.Is(err, ErrRefused) != test.final {
			t.Errorf("%s to %s: got %v, want final %v", test.reply, test.command, err, test.final)
		}
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCheckGreeting(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"": true, "portico.example": true, "nas": true, "xn--bcher-kva.example": true, "[192.0.2.1]": true, "[IPv6:2001:db8::1]": true,
		"portico example": false, "a\r\nMAIL": false, "-a.example": false, "bücher.example": false, "[": false,
	} {
		if err := CheckGreeting(name); (err == nil) != want {
			t.Errorf("%q: got %v, want accepted %v", name, err, want)
		}
	}
}

// scriptedServer handles one connection. It replies OK to all commands but one.
func scriptedServer(listener net.Listener, command, reply string) {
	c, err := listener.Accept()
	if err != nil {
		return
	}
	defer c.Close()
	_, err = c.Write([]byte("220 mail.example\r\n"))
	for lines := bufio.NewScanner(c); err == nil && lines.Scan(); {
		answer := "250 OK"
		switch verb, _, _ := strings.Cut(lines.Text(), " "); verb {
		case "EHLO":
			answer = "250-mail.example\r\n250 ENHANCEDSTATUSCODES"
		case command:
			answer = reply
		}
		_, err = c.Write([]byte(answer + "\r\n"))
	}
}

// plainServer greets one client, offers no TLS, and sends what the client said.
func plainServer(listener net.Listener, commands chan<- string) {
	var text strings.Builder
	defer func() { commands <- text.String() }()
	c, err := listener.Accept()
	if err != nil {
		return
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		return
	}
	_, err = c.Write([]byte("220 mail.example\r\n"))
	for lines := bufio.NewScanner(c); err == nil && lines.Scan(); {
		text.WriteString(lines.Text() + "\n")
		_, err = c.Write([]byte("250-mail.example\r\n250 AUTH PLAIN LOGIN\r\n"))
	}
}
