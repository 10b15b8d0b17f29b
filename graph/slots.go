package graph

import (
	"context"
	"sync"
)

// slotCount is the number of slots. It is less than the number of database connections, so that
// thousands of subscriptions that one change wakes do not delay requests.
const slotCount = 8

// slots limits how many goroutines of the process do a thing at the same time, such as reading for
// a subscription. The zero value is ready.
//
// Waiting goroutines get the slots in the order of their calls, as a channel serves its senders.
type slots struct {
	once sync.Once
	free chan struct{}
}

// acquire waits for a free slot and returns the function that releases it. It returns an error when
// ctx ends first.
func (s *slots) acquire(ctx context.Context) (release func(), err error) {
	s.once.Do(func() { s.free = make(chan struct{}, slotCount) })
	select {
	case s.free <- struct{}{}:
		return func() { <-s.free }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
