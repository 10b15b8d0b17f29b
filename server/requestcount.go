package server

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
)

// requestCountInterval is the time between two writes of what a server counted.
const requestCountInterval = 15 * time.Second

// requestCount counts the requests of this process that are not in the database yet.
type requestCount struct{ requests, errors atomic.Int64 }

// add counts an answered request. Probes do not count: they come every few seconds, whether
// anybody uses the server or not.
func (c *requestCount) add(path string, status int) {
	if slices.Contains([]string{"/livez", "/readyz", "/metrics"}, path) {
		return
	}
	c.requests.Add(1)
	if status >= 500 {
		c.errors.Add(1)
	}
}

// store hands the counts to add, which stores them. What cannot be stored waits for the next call.
func (c *requestCount) store(ctx context.Context, add func(ctx context.Context, requests, errors int64) error) error {
	errors := c.errors.Swap(0)
	requests := c.requests.Swap(0)
	if requests == 0 {
		c.errors.Add(errors)
		return nil
	}
	err := add(ctx, requests, errors)
	if err != nil {
		c.requests.Add(requests)
		c.errors.Add(errors)
	}
	return err
}

// storeRequests stores the counts of requests at intervals until ctx ends. The plots can wait, so
// an error is only logged.
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

// storeRequestsOnce stores the counts of requests, and logs an error.
func (p *Program) storeRequestsOnce(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, dependencyTimeout)
	defer cancel()
	if err := p.metrics.counted.store(ctx, p.DB.AddRequests); err != nil && ctx.Err() == nil {
		p.Logger.Warn("store the counts of requests", "error", err)
	}
}
