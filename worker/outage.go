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
	// longestOutage is for how long work waits for a store or a database that
	// cannot be used. What fails after that uses up its tries.
	longestOutage = 24 * time.Hour
	// pingTime is how long a store may take to show that it can be used.
	pingTime = 10 * time.Second
	// restartTime is how long a database is waited for that cannot be told of the
	// end of an attempt: a restart takes less.
	restartTime = 2 * time.Minute
)

// outage tells whether err is trouble of the store or the database that others
// mend, and how long to wait before the next attempt at work that came up at since.
// It waits longer the older the work is, from a second to a minute, and at least
// as long as the attempt took, which began at began: attempts take half of the time
// at most.
func outage(ctx context.Context, store storage.Store, err error, since, began time.Time) (wait time.Duration, ok bool) {
	age := time.Since(since)
	if _, final := judge(err); final || age >= longestOutage || !away(ctx, store, err) {
		return 0, false
	}
	wait = min(max(age/2, time.Second), time.Minute)
	return max(wait, min(time.Since(began), time.Hour)), true
}

// away tells whether the database or the store was away. A store that can be
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

// retryUntilBack tells the database something, once it can be told.
func (a *attempt) retryUntilBack(ctx context.Context, tell func(context.Context) (bool, error)) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, restartTime)
	defer cancel()
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	for {
		current, err := tell(ctx)
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
