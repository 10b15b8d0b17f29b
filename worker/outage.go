package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"portico/db"
	"portico/storage"
)

const (
	// maxOutage is how long work waits for a store or a database that is away.
	// What fails after that uses up its tries.
	maxOutage = 24 * time.Hour
	// pingTime is how long a store may take to show that it can be used.
	pingTime = 10 * time.Second
	// restartTime is how long the end of an attempt waits for a database that does
	// not answer: a restart takes less.
	restartTime = 2 * time.Minute
)

// outage reports whether err is trouble of the store or the database that others
// mend, and how long to wait before the next attempt at work that came up at since.
// It waits longer the older the work is, from a second to a minute, and at least
// as long as the attempt took, which began at began: attempts take half of the time
// at most.
func outage(ctx context.Context, store storage.Store, err error, since, began time.Time) (wait time.Duration, ok bool) {
	age := time.Since(since)
	if _, final := judge(err); final || age >= maxOutage || !away(ctx, store, err) {
		return 0, false
	}
	wait = min(max(age/2, time.Second), time.Minute)
	return max(wait, min(time.Since(began), time.Hour)), true
}

// away reports whether the database or the store was away. A store that can be
// written to is not, whatever it says of one object.
func away(ctx context.Context, store storage.Store, err error) bool {
	if !errors.Is(err, storage.ErrUnavailable) {
		return db.Unavailable(err)
	}
	ctx, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	return store.Ping(ctx) != nil
}

// postpone gives the try back that an outage has cost, and lets a worker begin
// again after a while. It ends early with ctx, when the process stops.
func (a *attempt) postpone(ctx context.Context, wait time.Duration, cause error) error {
	current, err := a.retryUntilBack(ctx, func(ctx context.Context) (bool, error) {
		return a.db.HandBackJob(ctx, a.job.ID, a.job.Attempt)
	})
	if err != nil {
		return fmt.Errorf("postpone job %s: %w", a.job.ID, errors.Join(err, cause))
	}
	if !current { // canceled meanwhile, or given away
		return a.leave(ctx)
	}
	a.outcome = Postponed
	a.log.Warn("job waits for the end of an outage", append(a.spent(), "wait", wait, "error", cause)...)
	return river.JobSnooze(wait)
}

// retryUntilBack repeats a write until the database answers, for up to restartTime.
func (a *attempt) retryUntilBack(ctx context.Context, write func(context.Context) (bool, error)) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, restartTime)
	defer cancel()
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	for {
		current, err := write(ctx)
		if !db.Unavailable(err) {
			return current, err
		}
		select {
		case <-ctx.Done():
			return false, err
		case <-ticker.C:
		}
	}
}
