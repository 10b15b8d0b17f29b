package mailbox

import (
	"net/smtp"
	"net/url"
	"strings"
	"testing"
)

func TestServer_decodes_the_mail_that_it_accepts(t *testing.T) {
	t.Parallel()
	server := Start(t)
	u, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	send := func(password string) error {
		auth := smtp.PlainAuth("", user, password, "127.0.0.1")
		message := "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nContent-Language: de\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" +
			"Der Link:\r\n..https\r\nhttps://portico.example/login/reset?token=3Dabc\r\n"
		return smtp.SendMail(u.Host, auth, "portico@example.com", []string{"ada@example.com"}, []byte(message))
	}

	for _, row := range []struct {
		name     string
		password string
		isDown   bool
		want     string
	}{
		{"a wrong password", "guess", false, "535"},
		{"a server that is down", password, true, "451"},
		{"a server that is up again", password, false, ""},
	} {
		server.SetDown(row.isDown)
		if err := send(row.password); (err == nil) != (row.want == "") || (err != nil && !strings.HasPrefix(err.Error(), row.want)) {
			t.Errorf("%s: got %v, want %q", row.name, err, row.want)
		}
	}
	got, want := server.Next(), "Der Link:\n..https\nhttps://portico.example/login/reset?token=abc\n"
	if got.From != "portico@example.com" || got.To != "ada@example.com" || got.Subject != "Grüße" || got.Language != "de" {
		t.Errorf("mail: got %+v, want it from portico@example.com to ada@example.com", got)
	}
	if strings.ReplaceAll(got.Body, "\r\n", "\n") != want {
		t.Errorf("body: got %q, want %q", got.Body, want)
	}
	if got.Link() != "https://portico.example/login/reset?token=abc" || server.Waiting() != 0 {
		t.Errorf("link: got %q, and %d more mails, want the link and no more mails", got.Link(), server.Waiting())
	}
}
