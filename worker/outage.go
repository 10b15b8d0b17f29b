package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"portico/db/dial"
	"portico/model"
	"portico/storage"
)

const (
	// maxOutage is how long work waits for a store or a database that is unavailable.
	// After that, each failure counts as an attempt.
	maxOutage = 24 * time.Hour
	// pingTimeout is the time limit for the check whether a store is available.
	pingTimeout = 10 * time.Second
	// restartTimeout is how long the end of an attempt waits for a database that does
	// not answer. A restart of Postgres takes less.
	restartTimeout = 2 * time.Minute
)

// outage reports whether err comes from an unavailable store or database, and how long to wait
// before the next attempt. The wait grows with the age of the work, from a second to a minute. It
// is also at least as long as the attempt took, up to an hour, so that a worker spends at most half
// of its time on attempts that fail. created is when the work was enqueued, and started when the
// attempt started.
func outage(ctx context.Context, store storage.Store, err error, created, started time.Time) (wait time.Duration, ok bool) {
	age := time.Since(created)
	if _, final := failureOf(err); final || age >= maxOutage || !isUnavailable(ctx, store, err) {
		return 0, false
	}
	wait = min(max(age/2, time.Second), time.Minute)
	return max(wait, min(time.Since(started), time.Hour)), true
}

// isUnavailable reports whether err is due to an unavailable database or store. If the store
// answers a ping, it is available, and the error concerns one object only.
func isUnavailable(ctx context.Context, store storage.Store, err error) bool {
	if !errors.Is(err, storage.ErrUnavailable) {
		return dial.Unavailable(err)
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return store.Ping(ctx) != nil
}

// postpone has the job run again after the wait. This attempt does not count, because an outage
// caused its failure. postpone stops waiting for the database when ctx ends because the process
// stops.
func (a *attempt) postpone(ctx context.Context, wait time.Duration, cause error) error {
	current, err := a.retryWhileUnavailable(ctx, func(ctx context.Context) (bool, error) {
		return a.db.Jobs().RequeueJob(ctx, a.job.ID, a.job.Attempt)
	})
	if err != nil {
		return fmt.Errorf("postpone job %s: %w", a.job.ID, errors.Join(err, cause))
	}
	if !current && !a.hasStored(ctx, model.JobQueued, "") { // canceled, or given to another attempt
		ctx, cancel := finishingContext(ctx)
		defer cancel()
		a.finishLost(ctx)
		return nil
	}
	a.outcome = Postponed
	a.log.Warn("job waits for the end of an outage", append(a.usage(), "wait", wait, "error", cause)...)
	return river.JobSnooze(wait)
}

// hasStored reports whether the job has the state and the error that a write of this attempt
// stores. If the response to the write was lost, its repetition finds nothing to change. Without a
// response, hasStored returns false.
func (a *attempt) hasStored(ctx context.Context, status model.JobStatus, reason string) bool {
	ctx, cancel := finishingContext(ctx)
	defer cancel()
	job, err := a.db.Jobs().Job(ctx, a.job.ID)
	return err == nil && job.Attempt == a.job.Attempt && job.Status == status && job.Error == reason
}

// retryWhileUnavailable repeats a write until the database answers, for up to restartTimeout. If
// only the response to a write was lost, the next one returns false: see hasStored.
func (a *attempt) retryWhileUnavailable(ctx context.Context, write func(context.Context) (bool, error)) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, restartTimeout)
	defer cancel()
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	for {
		current, err := write(ctx)
		if !dial.Unavailable(err) {
			return current, err
		}
		select {
		case <-ctx.Done():
			return false, err
		case <-ticker.C:
		}
	}
}
