package semaphore

import (
	"context"
	"sync"
)

// DefaultSlots is the number of slots of the zero value of Slots. It is less than the number of
// database connections, so that thousands of subscriptions that one change wakes do not delay
// requests.
const DefaultSlots = 8

// Slots limits how many callers do the same kind of work at the same time, such as reading for
// subscriptions. It has DefaultSlots slots. The zero value is ready.
//
// Waiting callers get the slots in the order of their calls, as a channel serves its senders.
type Slots struct {
	once  sync.Once
	taken chan struct{}
}

// Acquire waits for a free slot and returns the function that releases it, which must be called
// once. It returns the error of ctx when ctx ends first.
func (s *Slots) Acquire(ctx context.Context) (release func(), err error) {
	s.once.Do(func() { s.taken = make(chan struct{}, DefaultSlots) })
	select {
	case s.taken <- struct{}{}:
		return func() { <-s.taken }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
