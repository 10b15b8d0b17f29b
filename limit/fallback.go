package limit

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// tryAgain is how long Redis is left alone after it did not answer.
const tryAgain = time.Second

// fallback counts in Redis, and in memory while Redis is away. Only requests that
// are under way when Redis goes wait for it, once; from then on it is tried beside
// the requests, at most once a second and only when there are any.
type fallback struct {
	shared *redisStore
	local  *memory
	now    func() time.Time
	log    *slog.Logger

	mu     sync.Mutex
	away   bool
	next   time.Time // when to try again; means something while away
	closed bool
	tries  sync.WaitGroup
}

// take implements store; it never fails.
func (f *fallback) take(ctx context.Context, subject Subject, charged []charge) (time.Duration, error) {
	if f.here() {
		wait, err := f.shared.take(ctx, subject, charged)
		if err == nil {
			return wait, nil
		}
		f.lose(err)
	}
	return f.local.take(ctx, subject, charged)
}

// here reports whether Redis is there, and has it tried when it is time to.
func (f *fallback) here() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || !f.away {
		return !f.closed
	}
	if now := f.now(); !now.Before(f.next) {
		f.next = now.Add(tryAgain) // longer than a try takes: one at a time
		f.tries.Go(f.try)
	}
	return false
}

// try asks Redis for what requests ask it for: one that answers a ping may still
// be loading, read-only or full.
func (f *fallback) try() {
	_, err := f.shared.take(context.Background(), "try", []charge{{All, 0}})
	if err == nil && f.turn(false) {
		f.log.Info("rate limits are counted in redis again")
	}
}

// lose turns to memory. All who were waiting for Redis come here, and one of them
// says so.
func (f *fallback) lose(err error) {
	if f.turn(true) {
		f.log.Warn("redis does not answer; rate limits are counted in memory", "error", err)
	}
}

// turn notes that Redis is away or back, and reports whether that is news.
func (f *fallback) turn(away bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.away == away || f.closed {
		return false
	}
	f.away, f.next = away, f.now().Add(tryAgain)
	return true
}

// close ends the tries and closes the connections.
func (f *fallback) close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.tries.Wait()
	return f.shared.client.Close()
}
