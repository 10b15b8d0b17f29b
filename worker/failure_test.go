package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/riverqueue/river"

	"portico/db"
	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/model"
	"portico/splat"
	"portico/storage"
)

func TestFailureOf_says_what_happened_and_whether_it_is_final(t *testing.T) {
	t.Parallel()
	wrap := func(err error) error { return fmt.Errorf("store a.sog: %w", err) }
	for _, test := range []struct {
		name  string
		err   error
		want  failure
		final bool
	}{
		{"a bad archive", &splat.InputError{File: "a", Message: "is bad"}, failure{`"a" is bad`, slog.LevelInfo}, true},
		{"a bad archive, wrapped", wrap(&splat.InputError{Message: "Bad"}), failure{"Bad", slog.LevelInfo}, true},
		{"a refusal", wrap(model.Invalidf("No")), failure{"No", slog.LevelInfo}, true},
		{"over the quota", &model.Error{Code: model.CodeQuotaExceeded, Message: "Full"}, failure{"Full", slog.LevelInfo}, true},
		{"a full disk", wrap(storage.ErrFull), failure{"The server has no storage left for this file", slog.LevelError}, true},
		{"a lost object", wrap(storage.ErrNotFound), failure{"Uploaded file not found", slog.LevelError}, true},
		{"a lost object of a stored file", wrap(fmt.Errorf("%w: %w", errLostFile, storage.ErrNotFound)), failure{"File not found", slog.LevelError}, true},
		{"a damaged object", wrap(fmt.Errorf("%w: it has 4 bytes", errDamagedFile)), failure{"The file was damaged when the server stored it. Upload it again", slog.LevelError}, true},
		{"attempts that crashed", errAttemptsUsedUp, failure{"Given up after 4 attempts. Try again, or ask the operator for help", slog.LevelError}, true},
		{"trouble of ours", errors.New("secret"), failure{"Internal server error", slog.LevelError}, false},
		{"trouble of ours in our words", &model.Error{Code: model.CodeInternal, Message: "secret"}, failure{"Internal server error", slog.LevelError}, false},
	} {
		got, final := failureOf(test.err)
		if got != test.want || final != test.final {
			t.Errorf("%s: got %v, %v, want %v, %v", test.name, got, final, test.want, test.final)
		}
	}
}

func TestFaultOf_names_the_upload_or_its_entry(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, key, stored, want string }{
		{"half.ply", "api_uploads/rd7k_half.ply", "rd7k_half.ply", `"half.ply" is cut short`},
		{"damaged.zip", "api_uploads/rd7k_damaged/scan.ply", "scan.ply", `"scan.ply" is cut short`},
	} {
		file := &model.File{Name: test.name, ResourceKey: test.key}
		if got := faultOf(&splat.InputError{File: test.stored, Message: "is cut short"}, file); got != test.want {
			t.Errorf("%s: got %s, want %s", test.key, got, test.want)
		}
	}
}

// refuseFailures makes the database shut down when a job fails, the first times that it does. The
// code is of a server that shuts down (PostgreSQL, admin_shutdown). The sequence counts the
// failures, because a transaction that is rolled back keeps its value.
func (w *world) refuseFailures(t *testing.T, times int) {
	t.Helper()
	w.exec(t, fmt.Sprintf(`CREATE SEQUENCE failures;
		CREATE FUNCTION shut_down() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
			'BEGIN IF nextval(''failures'') <= %d THEN RAISE EXCEPTION USING ERRCODE = ''57P01''; END IF; RETURN NEW; END';
		CREATE TRIGGER shut_down BEFORE UPDATE ON jobs FOR EACH ROW WHEN (NEW.status = 'failed') EXECUTE FUNCTION shut_down()`, times))
}

// lastTry claims the job as often as it may be tried.
func (w *world) lastTry(t *testing.T, job *model.Job) *attempt {
	t.Helper()
	for range db.JobAttempts - 1 {
		w.claim(t, job)
	}
	return w.claim(t, job)
}

// A further attempt could only store that the attempts are used up.
func TestFail_waits_for_the_database_to_store_the_reason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	w.refuseFailures(t, 2)
	a := w.lastTry(t, job)
	if err := a.finish(t.Context(), &splat.InputError{Message: "It has no points"}); err != nil || a.outcome != Failed {
		t.Errorf("finish: got %v and outcome %q, want nil and %q", err, a.outcome, Failed)
	}
	if got := w.job(t, job.ID); got.Status != model.JobFailed || got.Error != "It has no points" {
		t.Errorf("job: got %s with %q, want it failed with the reason", got.Status, got.Error)
	}
	w.checkNothingKept(t, job)
}

func TestFail_does_not_count_an_attempt_whose_process_stops_while_it_waits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	w.refuseFailures(t, 1000)
	a := w.lastTry(t, job)
	ctx, stop := context.WithCancel(t.Context())
	finished := make(chan error, 1)
	go func() { finished <- a.finish(ctx, &splat.InputError{Message: "It has no points"}) }()
	admin := postgres.Connect(t, postgres.AdminURL(t, w.url))
	api.Eventually(t, "the database refuses the failure", func() bool {
		var refused bool
		err := admin.QueryRowContext(t.Context(), "SELECT is_called FROM failures").Scan(&refused)
		return err == nil && refused
	})
	stop()
	err := <-finished
	if _, ok := errors.AsType[*river.JobSnoozeError](err); !ok || a.outcome != HandedBack {
		t.Errorf("finish: got %v and outcome %q, want it handed back", err, a.outcome)
	}
	if got := w.job(t, job.ID); got.Status != model.JobQueued || got.CountedAttempts != db.JobAttempts-1 {
		t.Errorf("job: got %s after %d attempts, want it queued after %d", got.Status, got.CountedAttempts, db.JobAttempts-1)
	}
}

// River would make another attempt at a job that is handed back. This attempt removes the objects
// of the canceled one.
func TestHandBack_ends_an_attempt_whose_job_was_canceled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	a := w.claim(t, job)
	w.cancel(t, job)
	stopping, stop := context.WithCancel(t.Context())
	stop()
	if err := a.finish(stopping, stopping.Err()); err != nil || a.outcome != Canceled {
		t.Errorf("finish: got %v and outcome %q, want nil and %q", err, a.outcome, Canceled)
	}
	w.checkNothingKept(t, job)
}
