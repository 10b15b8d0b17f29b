package graph_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"portico/internal/testkit/leak"
	"portico/model"
)

func (w *world) watchJobs(ctx context.Context, who account) <-chan *model.Job {
	w.t.Helper()
	states, err := w.Resolver.Subscription().Jobs(model.WithCaller(ctx, &model.Caller{UserID: who.id}))
	check(w.t, err)
	return states
}

// untilJob receives states until the job has the status, and checks that no state is repeated.
func untilJob(t *testing.T, states <-chan *model.Job, job *model.Job, status model.JobStatus) {
	t.Helper()
	last := map[string]model.Job{}
	for {
		state, open := receive(t, states)
		if !open {
			t.Fatalf("got the end, want job %s to be %s", job.ID, status)
		}
		if last[state.ID] == *state {
			t.Errorf("got %+v twice", state)
		}
		last[state.ID] = *state
		if state.ID == job.ID && state.Status == status {
			return
		}
	}
}

func TestWatchJobs_sends_the_jobs_of_the_caller_and_their_changes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ended, second := w.job(w.alice), w.job(w.alice)
	w.finish(ended)
	w.job(w.bob) // nobody else's business
	states := w.watchJobs(t.Context(), w.alice)
	for _, want := range []*model.Job{ended, second} { // the oldest first
		got, _ := receive(t, states)
		equal(t, "job", got.ID, want.ID)
	}
	third := w.job(w.alice)
	untilJob(t, states, third, model.JobQueued)
	w.finish(second)
	untilJob(t, states, second, model.JobCompleted)
	_, err := w.Mutation().CancelJob(w.alice.ctx, third.ID)
	check(t, err)
	untilJob(t, states, third, model.JobFailed)
	t.Run("goes on when jobs are purged", func(t *testing.T) {
		w.exec("DELETE FROM river_job")
		w.exec("DELETE FROM jobs WHERE user_id = $1", w.alice.id)
		fourth := w.job(w.alice)
		untilJob(t, states, fourth, model.JobQueued)
	})
	t.Run("survives the loss of the connection for announcements", func(t *testing.T) {
		w.cutListener()
		fifth := w.job(w.alice)
		untilJob(t, states, fifth, model.JobQueued)
	})
}

// TestWatchJobs_slowly checks that a slow reader gets the newest state of each job instead of every
// state.
func TestWatchJobs_slowly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two := w.job(w.alice), w.job(w.alice)
	states := w.watchJobs(t.Context(), w.alice)
	for range 2 {
		receive(t, states)
	}
	claims := []*model.Job{w.claim(one), w.claim(two)}
	for step := 1; step <= 50; step++ {
		for _, job := range claims {
			w.report(job, float64(step), extracting(step, 50))
		}
	}
	w.finish(one)
	w.finish(two)
	taken := 0
	for ended := map[string]bool{}; len(ended) < 2; taken++ {
		state, _ := receive(t, states)
		ended[state.ID] = state.Status == model.JobCompleted
		if !ended[state.ID] {
			delete(ended, state.ID)
		}
	}
	// One state of each may have been on offer when the reader came.
	if taken > 4 {
		t.Errorf("states: got %d, want at most 4 of the 104 that there were", taken)
	}
}

// TestWatch_leaves_nothing is not parallel, so that it does not count the goroutines of other
// tests. It follows everything that ends only with its context.
func TestWatch_leaves_nothing(t *testing.T) { //nolint:paralleltest // see above
	w := newWorld(t)
	w.job(w.alice)
	space := w.open(w.alice, model.Public)
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(t.Context())
	for range 20 {
		receive(t, w.watchJobs(ctx, w.alice)) // it waits, the next one offers
		w.watchJobs(ctx, w.alice)
		receive(t, w.watchSpace(ctx, w.bob, space))
		w.watchSpace(ctx, w.bob, space)
		w.listen(ctx, nil)
	}
	cancel()
	w.server.CloseClientConnections()
	leak.None(t, before, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}
