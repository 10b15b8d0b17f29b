package server

import (
	"context"
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

// add counts an answered request. It does not count probes, which arrive every few seconds even
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

// store calls add with the counts since the last call, and keeps them for the next call if add
// fails.
func (c *requestCount) store(ctx context.Context, add func(ctx context.Context, requests, failures int64) error) error {
	failures := c.errors.Swap(0)
	requests := c.requests.Swap(0)
	if requests == 0 {
		c.errors.Add(failures)
		return nil
	}
	err := add(ctx, requests, failures)
	if err != nil {
		c.requests.Add(requests)
		c.errors.Add(failures)
	}
	return err
}

// startStoringRequests stores the counts of requests at intervals until stop is called. stop stores
// the last counts, and returns when the loop has ended.
func (p *Program) startStoringRequests(ctx context.Context) (stop func()) {
	ctx = context.WithoutCancel(ctx) // requests end later than ctx
	var loop background.Group
	loop.Go(p.storeRequests)
	return func() {
		loop.Stop()
		p.storeRequestsOnce(ctx)
	}
}

// storeRequests stores the counts of requests at intervals until ctx ends.
func (p *Program) storeRequests(ctx context.Context) {
	ticker := time.NewTicker(requestCountInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		p.storeRequestsOnce(ctx)
	}
}

// storeRequestsOnce stores the counts of requests. It only logs an error: the counts are stored
// later, and only the plots of operators use them.
func (p *Program) storeRequestsOnce(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, dependencyTimeout)
	defer cancel()
	if err := p.metrics.counted.store(ctx, p.DB.AddRequests); err != nil && ctx.Err() == nil {
		p.Logger.Warn("store the counts of requests", "error", err)
	}
}
