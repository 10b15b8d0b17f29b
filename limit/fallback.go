package limit

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"portico/internal/background"
)

// retryInterval is the wait before Redis is tried again after it did not answer.
const retryInterval = time.Second

// fallback counts in Redis, and in memory while Redis is down. Only the requests that are in flight
// when Redis fails wait for its timeout. After that, requests start a probe in the background, at
// most once in a retryInterval.
//
// The states are up, down and closed. markDown and probe move between the first two; close is
// final.
type fallback struct {
	shared *redisStore
	local  *memory
	now    func() time.Time
	log    *slog.Logger

	mu      sync.Mutex
	down    bool
	next    time.Time // when to probe again
	probing bool      // whether a probe runs
	closed  bool

	probes background.Group
}

// take implements store; it never fails.
func (f *fallback) take(ctx context.Context, subject Subject, charged []charge) (shortage, error) {
	if f.available() {
		short, err := f.shared.take(ctx, subject, charged)
		if err == nil {
			return short, nil
		}
		f.markDown(err)
	}
	return f.local.take(ctx, subject, charged)
}

// available reports whether Redis can be used, and starts a probe when one is due.
func (f *fallback) available() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || !f.down {
		return !f.closed
	}
	if now := f.now(); !f.probing && !now.Before(f.next) {
		f.next = now.Add(retryInterval)
		_, f.probing = f.probes.Go(f.probe)
	}
	return false
}

// probe runs the script that requests run, because a Redis that answers PING may still be loading,
// read-only or full.
func (f *fallback) probe(ctx context.Context) {
	_, err := f.shared.take(ctx, "probe", []charge{{scope: All}})
	if err == nil && f.setDown(false) {
		f.log.Info("rate limits are counted in redis again")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.probing = false
}

// markDown switches to memory. Every request that waited for Redis calls it, and one of them logs
// the failure.
func (f *fallback) markDown(err error) {
	if f.setDown(true) {
		f.log.Warn("redis does not answer; rate limits are counted in memory", "error", err)
	}
}

// setDown stores whether Redis is down, and reports whether this changed.
func (f *fallback) setDown(down bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down == down || f.closed {
		return false
	}
	f.down, f.next = down, f.now().Add(retryInterval)
	return true
}

// close waits for the probe and closes the connections.
func (f *fallback) close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.probes.Stop()
	return f.shared.client.Close()
}
