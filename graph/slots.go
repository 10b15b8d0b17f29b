package graph

import (
	"context"
	"sync"
)

// maxConcurrentReads is how many subscriptions of the process read at the same time. It is
// less than the number of database connections, so that thousands of subscriptions that
// one change wakes do not delay requests.
const maxConcurrentReads = 8

// readSlots limits concurrent reads. The zero value is ready.
type readSlots struct {
	once sync.Once
	free chan struct{}
}

// acquire waits for a slot and returns the function that releases it.
func (s *readSlots) acquire(ctx context.Context) (release func(), err error) {
	s.once.Do(func() { s.free = make(chan struct{}, maxConcurrentReads) })
	select {
	case s.free <- struct{}{}:
		return func() { <-s.free }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
