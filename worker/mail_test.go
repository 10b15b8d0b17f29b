package worker

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"portico/model"
)

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
