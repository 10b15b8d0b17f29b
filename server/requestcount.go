package server

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"portico/internal/background"
)

// requestCountInterval is the time between two writes of the counts.
const requestCountInterval = 15 * time.Second

// requestCount counts the requests of this process that are not stored in the database yet. The
// zero value is ready for use.
//
// The errors are swapped before the requests, so errors are never more than requests.
type requestCount struct{ requests, errors atomic.Int64 }

// add counts a finished request. It does not count probes, which arrive every few seconds even
// if nobody uses the server.
func (c *requestCount) add(path string, status int) {
	if slices.Contains([]string{"/livez", "/readyz", "/metrics"}, path) {
		return
	}
	c.requests.Add(1)
	if status >= 500 {
		c.errors.Add(1)
	}
}

// addRequests adds counts to the ones in the database.
type addRequests func(ctx context.Context, requests, failures int64) error

// store calls add with the counts since the last call, and keeps them for the next call if add
// fails. It waits for at most dependencyTimeout, even if ctx ends: Postgres may have committed a
// statement that was canceled, whose counts the next call would add again.
func (c *requestCount) store(ctx context.Context, add addRequests) error {
	failures := c.errors.Swap(0)
	requests := c.requests.Swap(0)
	if requests == 0 {
		c.errors.Add(failures)
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dependencyTimeout)
	defer cancel()
	err := add(ctx, requests, failures)
	if err != nil {
		c.requests.Add(requests)
		c.errors.Add(failures)
	}
	return err
}

// startStoring stores the counts at intervals until stop is called. stop stores the last counts,
// and returns when the loop has ended, or when its context ends.
func (c *requestCount) startStoring(add addRequests, logger *slog.Logger) (stop func(context.Context)) {
	// An error is only logged: the counts are stored later, and only the plots of operators use them.
	// As long as stores fail there are counts, so each result is of a statement.
	var outage background.OutageLog
	storeOnce := func(ctx context.Context) {
		outage.Record(logger, c.store(ctx, add), "store the counts of requests", "the counts of requests are stored again")
	}
	var loop background.Group
	loop.Go(func(ctx context.Context) {
		ticker := time.NewTicker(requestCountInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			storeOnce(ctx)
		}
	})
	return func(ctx context.Context) {
		err := within(ctx, func() error {
			loop.Stop()
			storeOnce(ctx) // the requests that were handled since the last store
			return nil
		})
		if err != nil {
			logger.Warn("store the last counts of requests", "error", err)
		}
	}
}
