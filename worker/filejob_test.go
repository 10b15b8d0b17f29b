package worker

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"portico/db"
	"portico/model"
	"portico/splat"
)

// The metrics count the file as failed, whether its last attempt returned an error or crashed its
// process.
func TestFileJob_given_up_is_observed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		work    fileWork
		attempt int
	}{
		{"a poster, all processes killed", preparationWork, db.JobAttempts + 1},
		{"a poster, the last attempt failed", preparationWork, db.JobAttempts},
		{"a view, all processes killed", viewWork, db.JobAttempts + 1},
		{"a view, the last attempt failed", viewWork, db.JobAttempts},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			file := w.addFile(t, "scan.ply", "sss")
			row := &rivertype.JobRow{ID: 1, Attempt: test.attempt}
			var outcomes []Outcome
			worker := w.idle(t, withScript("panic"), func(o *Options) {
				o.Observe = func(a Attempt) { outcomes = append(outcomes, a.Outcome) }
			})
			err := worker.runFileJob(t.Context(), row, fileArgsOf(file), test.work)
			if err != nil {
				t.Errorf("give up: got %v, want nil", err)
			}
			if !slices.Equal(outcomes, []Outcome{Failed}) {
				t.Errorf("observed: got %v, want %v once", outcomes, Failed)
			}
			w.awaitObjects(t, map[string]int64{file.StorageKey(): 3})
		})
	}
}

// The attempt that finds out why a file must be given up is the last one. If the database is not
// available then, the attempt must not count: a further one knows only that the attempts are used
// up.
func TestFileJob_stores_why_it_was_given_up_after_an_outage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.addFile(t, "scan.ply", "sss")
	bad := preparationWork
	bad.do = func(*attemptTools, context.Context, *model.File, fileArgs) error {
		return &splat.InputError{Message: "It has no points"}
	}
	row := &rivertype.JobRow{ID: 1, Attempt: db.JobAttempts, CreatedAt: time.Now()}
	var outcomes []Outcome
	worker := w.idle(t, func(o *Options) {
		o.Observe = func(a Attempt) { outcomes = append(outcomes, a.Outcome) }
	})
	// The code is of a server that shuts down (PostgreSQL, admin_shutdown).
	w.exec(t, `CREATE FUNCTION shut_down() RETURNS trigger LANGUAGE plpgsql AS
		'BEGIN RAISE EXCEPTION USING ERRCODE = ''57P01''; END';
		CREATE TRIGGER shut_down BEFORE UPDATE ON files FOR EACH ROW EXECUTE FUNCTION shut_down()`)
	err := worker.runFileJob(t.Context(), row, fileArgsOf(file), bad)
	if _, ok := errors.AsType[*river.JobSnoozeError](err); !ok {
		t.Errorf("in the outage: got %v, want the attempt to be made again", err)
	}
	w.exec(t, "DROP TRIGGER shut_down ON files")
	if err := worker.runFileJob(t.Context(), row, fileArgsOf(file), bad); err != nil {
		t.Errorf("after the outage: got %v, want nil", err)
	}
	if state, message := stateOf(w.file(t, file), model.StepFacts); state != model.StepFailed || message != "It has no points" {
		t.Errorf("file: got %q with %q, want the reason", state, message)
	}
	if want := []Outcome{Postponed, Failed}; !slices.Equal(outcomes, want) {
		t.Errorf("observed: got %v, want %v", outcomes, want)
	}
}

// The next attempt would convert the capture for as many hours.
func TestFileJob_that_takes_too_long_is_given_up_at_once(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.addFile(t, "scan.ply", "sss")
	w.storeFacts(t, file)
	endless := viewWork
	endless.do = func(_ *attemptTools, ctx context.Context, _ *model.File, _ fileArgs) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var outcomes []Outcome
	worker := w.idle(t, func(o *Options) {
		o.Observe = func(a Attempt) { outcomes = append(outcomes, a.Outcome) }
	})
	row := &rivertype.JobRow{ID: 1, Attempt: 1, CreatedAt: time.Now()}
	if err := worker.runFileJob(ctx, row, fileArgsOf(file), endless); err != nil {
		t.Errorf("after the time limit: got %v, want nil", err)
	}
	if state, message := stateOf(w.file(t, file), model.StepView); state != model.StepFailed || message != timeLimitFailure.reason {
		t.Errorf("view: got %q with %q, want it failed with %q", state, message, timeLimitFailure.reason)
	}
	if want := []Outcome{Failed}; !slices.Equal(outcomes, want) {
		t.Errorf("observed: got %v, want %v", outcomes, want)
	}
	w.awaitObjects(t, map[string]int64{file.StorageKey(): 3})
}
