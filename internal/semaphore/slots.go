package semaphore

import (
	"cmp"
	"context"
	"sync"
)

// DefaultSlots is the number of slots of the zero value of Slots. It is less than the number of
// database connections, so that thousands of subscriptions that one change wakes do not delay
// requests.
const DefaultSlots = 8

// Slots limits how many callers do the same kind of work at the same time, such as reading for
// subscriptions. The zero value is ready.
//
// Waiting callers get the slots in the order of their calls, as a channel serves its senders.
type Slots struct {
	// Max is the number of slots; 0 means DefaultSlots. It must not change after the first call.
	Max int

	once  sync.Once
	taken chan struct{}
}

// Acquire waits for a free slot and returns the function that releases it, which must be called
// once. It returns the error of ctx when ctx ends first.
func (s *Slots) Acquire(ctx context.Context) (release func(), err error) {
	s.once.Do(func() { s.taken = make(chan struct{}, cmp.Or(s.Max, DefaultSlots)) })
	select {
	case s.taken <- struct{}{}:
		return func() { <-s.taken }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
