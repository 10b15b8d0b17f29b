package graph_test

import (
	"context"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"portico/db"
	"portico/internal/testkit/leak"
	"portico/model"
)

// watch follows the job as alice.
func (w *world) watch(ctx context.Context, job *model.Job) <-chan *model.Job {
	w.t.Helper()
	states, err := w.Resolver.Subscription().Job(model.WithCaller(ctx, &model.Caller{UserID: job.UserID}), job.ID)
	check(w.t, err)
	return states
}

// until receives states until one is the wanted one, and checks that the progress never falls.
func until(t *testing.T, states <-chan *model.Job, wanted string) *model.Job {
	t.Helper()
	for progress := 0.0; ; {
		state, open := receive(t, states)
		if !open {
			t.Fatalf("got the end, want a state with %q", wanted)
		}
		if state.Progress < progress {
			t.Errorf("progress: got %v after %v", state.Progress, progress)
		}
		if progress = state.Progress; state.Message == wanted {
			return state
		}
	}
}

func TestWatchJob_sends_the_progress_and_ends_with_the_job(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.job(w.alice)
	states := w.watch(t.Context(), job)
	first, _ := receive(t, states)
	equal(t, "first state", first.Status, model.JobQueued)
	equal(t, "open subscriptions", w.OpenSubscriptions(), 1)
	claimed := w.claim(job)
	for done := 1; done <= 3; done++ {
		w.report(claimed, float64(done*25), extracting(done, 3))
		equal(t, "progress", until(t, states, fmt.Sprintf("Extracting zip: %d of 3 files", done)).Progress, float64(done*25))
	}
	// Those that nobody takes are one: the newest.
	for step := 80; step <= 90; step++ {
		w.report(claimed, float64(step), extracting(step, 90))
	}
	w.finish(job)
	last := until(t, states, "Completed")
	equal(t, "last status", last.Status, model.JobCompleted)
	equal(t, "last progress", last.Progress, 100)
	if state, open := receive(t, states); open {
		t.Errorf("after the end of the job: got %v, want the end", state)
	}
	equal(t, "subscriptions after the end", w.OpenSubscriptions(), 0)
	t.Run("sends the one state of a job that has ended", func(t *testing.T) {
		states := w.watch(t.Context(), job)
		state, _ := receive(t, states)
		equal(t, "status", state.Status, model.JobCompleted)
		if state, open := receive(t, states); open {
			t.Errorf("got %v, want the end", state)
		}
	})
	t.Run("ends when the job is purged", func(t *testing.T) {
		job := w.job(w.alice)
		states := w.watch(t.Context(), job)
		until(t, states, model.JobQueuedMessage)
		w.exec("DELETE FROM river_job")
		w.exec("DELETE FROM jobs WHERE id = $1", job.ID)
		w.db.Announce(db.JobTopic(job.ID))
		drain(t, states)
	})
}

func TestWatchJob_survives(t *testing.T) {
	t.Parallel()
	t.Run("the loss of the connection for notifications", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		job := w.job(w.alice)
		states := w.watch(t.Context(), job)
		until(t, states, model.JobQueuedMessage)
		w.cutListener()
		w.report(w.claim(job), 50, extracting(1, 2))
		until(t, states, "Extracting zip: 1 of 2 files")
	})
	t.Run("the loss of every connection", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		job := w.job(w.alice)
		states := w.watch(t.Context(), job)
		until(t, states, model.JobQueuedMessage)
		w.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		w.exec("UPDATE jobs SET message = 'Half way' WHERE id = $1", job.ID)
		until(t, states, "Half way")
	})
	t.Run("an error of the database", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		job := w.job(w.alice)
		states := w.watch(t.Context(), job)
		until(t, states, model.JobQueuedMessage)
		logged := w.log.Await("read for a subscription")
		w.exec("ALTER TABLE jobs RENAME TO jobs_away")
		w.db.Announce(db.JobTopic(job.ID))
		receive(t, logged)
		w.exec("ALTER TABLE jobs_away RENAME TO jobs")
		w.report(w.claim(job), 50, extracting(1, 2))
		until(t, states, "Extracting zip: 1 of 2 files")
	})
}

// TestWatchJob_leaves_nothing is not parallel, so that it does not count the goroutines of other
// tests: they have ended, or have not started.
func TestWatchJob_leaves_nothing(t *testing.T) { //nolint:paralleltest // see above
	w := newWorld(t)
	job := w.job(w.alice)
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(t.Context())
	for range 50 {
		states := w.watch(ctx, job)
		receive(t, states) // half of them wait, the others offer
		w.watch(ctx, job)
	}
	cancel()
	w.server.CloseClientConnections()
	leak.None(t, before, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}
