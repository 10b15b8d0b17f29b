package db

import (
	"context"
	"database/sql"
	"sync/atomic"
	"time"
)

// turns lets as many prepared statements run as there are connections, in the order in which they
// came. database/sql gives a free connection to a random one of those that wait for it, so with
// more requests than connections some wait many times as long as others.
type turns struct {
	taken  chan struct{} // goroutines that wait to send are served in order
	waits  atomic.Int64
	waited atomic.Int64 // nanoseconds
}

func newTurns(connections int) *turns { return &turns{taken: make(chan struct{}, connections)} }

// take waits until fewer statements run than there are connections, or until ctx ends. The caller
// releases the turn.
func (t *turns) take(ctx context.Context) error {
	select {
	case t.taken <- struct{}{}:
		return nil
	default:
	}
	t.waits.Add(1)
	began := time.Now()
	defer func() { t.waited.Add(int64(time.Since(began))) }()
	select {
	case t.taken <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *turns) release() { <-t.taken }

// addTo adds the waits for a turn to the waits for a connection.
func (t *turns) addTo(stats *sql.DBStats) {
	stats.WaitCount += t.waits.Load()
	stats.WaitDuration += time.Duration(t.waited.Load())
}
