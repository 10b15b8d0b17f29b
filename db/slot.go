package db

import (
	"context"
	"database/sql"
	"sync/atomic"
	"time"
)

// connectionSlots lets as many prepared statements run as there are connections, in the order in
// which they came. database/sql gives a free connection to a random waiting statement, so with more
// requests than connections some would wait many times as long as others.
type connectionSlots struct {
	taken  chan struct{} // goroutines that wait to send are served in order
	waits  atomic.Int64
	waited atomic.Int64 // nanoseconds
}

func newConnectionSlots(connections int) *connectionSlots {
	return &connectionSlots{taken: make(chan struct{}, connections)}
}

// take waits until fewer statements run than there are connections, or until ctx ends. The caller
// releases the slot.
func (s *connectionSlots) take(ctx context.Context) error {
	select {
	case s.taken <- struct{}{}:
		return nil
	default:
	}
	s.waits.Add(1)
	start := time.Now()
	defer func() { s.waited.Add(int64(time.Since(start))) }()
	select {
	case s.taken <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *connectionSlots) release() { <-s.taken }

// addTo adds the waits for a slot to the waits for a connection.
func (s *connectionSlots) addTo(stats *sql.DBStats) {
	stats.WaitCount += s.waits.Load()
	stats.WaitDuration += time.Duration(s.waited.Load())
}
