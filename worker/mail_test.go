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

// The person who has the first mail can use its link while the second mail cannot be sent.
func TestMailWorker_ends_earlier_links_after_the_mail_was_sent(t *testing.T) {
	t.Parallel()
	w, server := newWorld(t), mailbox.Start(t)
	sender, err := mail.NewSender(server.URL(), "portico@example.com")
	if err != nil {
		t.Fatal(err)
	}
	worker := w.idle(t, func(o *Options) { o.Mail, o.BaseURL = sender, "https://portico.example" })
	send := func() error {
		return (&mailWorker{w: worker}).Work(t.Context(), &river.Job[mailArgs]{
			JobRow: &rivertype.JobRow{ID: 1, Attempt: 1},
			Args:   mailArgs{model.Mail{Kind: model.MailReset, To: w.user.Email, Language: "en"}},
		})
	}
	isValid := func(m mailbox.Mail) bool {
		t.Helper()
		_, token, _ := strings.Cut(m.Link(), "token=")
		hash := sha256.Sum256([]byte(token))
		valid, err := w.db.MailedLinkIsValid(t.Context(), hash[:], model.MailReset)
		if err != nil {
			t.Fatal(err)
		}
		return valid
	}
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
