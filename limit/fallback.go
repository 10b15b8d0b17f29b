package limit

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// retryInterval is the wait before Redis is tried again after it did not answer.
const retryInterval = time.Second

// fallback counts in Redis, and in memory while Redis is away. Only the requests in flight
// when Redis goes wait for its timeout, once. From then on it is probed in the background,
// once a second, while there are requests.
type fallback struct {
	shared *redisStore
	local  *memory
	now    func() time.Time
	log    *slog.Logger

	mu     sync.Mutex
	away   bool
	next   time.Time // when to probe again
	closed bool
	probes sync.WaitGroup
}

// take implements store; it never fails.
func (f *fallback) take(ctx context.Context, subject Subject, charged []charge) (shortage, error) {
	if f.available() {
		short, err := f.shared.take(ctx, subject, charged)
		if err == nil {
			return short, nil
		}
		f.markAway(err)
	}
	return f.local.take(ctx, subject, charged)
}

// available reports whether Redis can be used, and starts a probe when one is due.
func (f *fallback) available() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || !f.away {
		return !f.closed
	}
	if now := f.now(); !now.Before(f.next) {
		f.next = now.Add(retryInterval) // longer than the timeout of a probe: one at a time
		f.probes.Go(f.probe)
	}
	return false
}

// probe runs the script that requests need: a Redis that answers PING may still be loading,
// read-only or full.
func (f *fallback) probe() {
	_, err := f.shared.take(context.Background(), "try", []charge{{All, 0}})
	if err == nil && f.setAway(false) {
		f.log.Info("rate limits are counted in redis again")
	}
}

// markAway switches to memory. All requests that waited for Redis call it; one of them logs
// it.
func (f *fallback) markAway(err error) {
	if f.setAway(true) {
		f.log.Warn("redis does not answer; rate limits are counted in memory", "error", err)
	}
}

// setAway stores whether Redis is away, and reports whether this changed.
func (f *fallback) setAway(away bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.away == away || f.closed {
		return false
	}
	f.away, f.next = away, f.now().Add(retryInterval)
	return true
}

// close waits for the probe and closes the connections.
func (f *fallback) close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.probes.Wait()
	return f.shared.client.Close()
}
