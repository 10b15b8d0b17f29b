package worker

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"portico/internal/testkit/mailbox"
	"portico/model"
	"portico/worker/mail"
)

// sending sends mails to the account of a world.
type sending struct {
	*world

	server *mailbox.Server
	worker *Worker
}

func newSending(t *testing.T) sending {
	t.Helper()
	w, server := newWorld(t), mailbox.Start(t)
	s := sending{w, server, nil}
	s.worker = w.idle(t, func(o *Options) { o.Mail, o.BaseURL = s.sender(t, ""), "https://portico.example" })
	return s
}

// sender returns a sender that greets the server with the name.
func (s sending) sender(t *testing.T, greeting string) *mail.Sender {
	t.Helper()
	sender, err := mail.NewSender(mail.Options{Server: s.server.URL(), From: "portico@example.com", Greeting: greeting})
	if err != nil {
		t.Fatal(err)
	}
	return sender
}

// send makes one attempt to send a mail, with a link for a new password.
func (s sending) send(t *testing.T) error {
	t.Helper()
	return (&mailWorker{w: s.worker}).Work(t.Context(), &river.Job[mailArgs]{
		JobRow: &rivertype.JobRow{ID: 1, Attempt: 1},
		Args:   mailArgs{model.Mail{Kind: model.MailReset, To: s.user.Email, Language: "en"}},
	})
}

func (s sending) isValid(t *testing.T, m mailbox.Mail) bool {
	t.Helper()
	_, token, _ := strings.Cut(m.Link(), "token=")
	hash := sha256.Sum256([]byte(token))
	valid, err := s.db.SignIns().MailedLinkIsValid(t.Context(), hash[:], model.MailReset)
	if err != nil {
		t.Fatal(err)
	}
	return valid
}

// A mail that the server has accepted is sent, however the connection ends.
func TestMailWorker_sends_a_mail_once_if_the_server_closes_before_the_end(t *testing.T) {
	t.Parallel()
	s := newSending(t)
	s.server.SetHangUp(mailbox.HangUpAfterReply)
	if err := s.send(t); err != nil {
		t.Errorf("mail: got %v, want nil", err)
	}
	if !s.isValid(t, s.server.Next()) {
		t.Error("link of the mail: got invalid, want valid")
	}
}

// The mail waits until the operator has set a name that the server accepts.
func TestMailWorker_tries_again_if_the_server_refuses_its_greeting(t *testing.T) {
	t.Parallel()
	s := newSending(t)
	s.server.SetStrict(true)
	for _, test := range []struct {
		greeting string
		accepted bool
	}{{"7f3a9c", false}, {"localhost", false}, {"portico.example", true}, {"[192.0.2.1]", true}} {
		s.worker.Mail = s.sender(t, test.greeting)
		err := s.send(t)
		if _, canceled := errors.AsType[*river.JobCancelError](err); canceled || (err == nil) != test.accepted {
			t.Errorf("greeting %s: got %v, want accepted %v, and never final", test.greeting, err, test.accepted)
		}
	}
}

// If the reply of the server is lost, nobody knows whether the mail arrives. Its link works until
// the next mail, and the mails count in the limit of the account.
func TestMailWorker_keeps_the_link_of_a_mail_that_may_have_arrived(t *testing.T) {
	t.Parallel()
	s := newSending(t)
	s.server.SetHangUp(mailbox.HangUpBeforeReply)
	var mails []mailbox.Mail
	for i := range model.MaxMailsPerHour - 1 {
		if err := s.send(t); !errors.Is(err, mail.ErrMaybeSent) {
			t.Errorf("mail %d: got %v, want %v", i, err, mail.ErrMaybeSent)
		}
		mails = append(mails, s.server.Next())
		if !s.isValid(t, mails[i]) {
			t.Errorf("link of mail %d, which has arrived: got invalid, want valid", i)
		}
	}
	s.server.SetHangUp(mailbox.NoHangUp)
	if err := s.send(t); err != nil {
		t.Fatalf("last mail: got %v, want nil", err)
	}
	if last := s.server.Next(); s.isValid(t, mails[0]) || !s.isValid(t, last) {
		t.Errorf("links: got the first %v, the last %v, want only the last valid", s.isValid(t, mails[0]), s.isValid(t, last))
	}
	if err := s.send(t); err != nil || s.server.Waiting() != 0 {
		t.Errorf("mail over the limit: got %v and %d mails, want none", err, s.server.Waiting())
	}
}

// The person who has the first mail can use its link while the second mail cannot be sent.
func TestMailWorker_ends_earlier_links_after_the_mail_was_sent(t *testing.T) {
	t.Parallel()
	s := newSending(t)
	server := s.server
	send := func() error { return s.send(t) }
	isValid := func(m mailbox.Mail) bool { return s.isValid(t, m) }
	if err := send(); err != nil {
		t.Fatalf("first mail: got %v, want nil", err)
	}
	first := server.Next()
	server.SetDown(true)
	if err := send(); err == nil {
		t.Error("second mail: got nil, want the refusal of the server")
	}
	if !isValid(first) {
		t.Error("link of the first mail after a second that was not sent: got invalid, want valid")
	}
	server.SetDown(false)
	if err := send(); err != nil {
		t.Fatalf("third mail: got %v, want nil", err)
	}
	if third := server.Next(); isValid(first) || !isValid(third) {
		t.Errorf("links after the third mail: got the first %v, the third %v, want only the third valid", isValid(first), isValid(third))
	}
}

func TestMailWorker_logs_that_it_refuses_an_unknown_kind(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	worker := newWorker(Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	err := (&mailWorker{w: worker}).Work(t.Context(), &river.Job[mailArgs]{
		JobRow: &rivertype.JobRow{ID: 1, Attempt: 1},
		Args:   mailArgs{model.Mail{Kind: "other", To: "ann@example.org"}},
	})
	if _, canceled := errors.AsType[*river.JobCancelError](err); !canceled {
		t.Errorf("got %v, want the job canceled", err)
	}
	if got := log.String(); !strings.Contains(got, "mail refused") || strings.Contains(got, "again") {
		t.Errorf("log: got %q, want only that the mail is refused", got)
	}
}
