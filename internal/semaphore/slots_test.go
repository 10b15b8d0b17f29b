package semaphore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestSlots_limit_concurrent_callers(t *testing.T) {
	t.Parallel()
	var slots Slots
	var running, maximum atomic.Int64
	entered, proceed := make(chan struct{}, 3*DefaultSlots), make(chan struct{})
	var all sync.WaitGroup
	for range 3 * DefaultSlots {
		all.Go(func() {
			release, err := slots.Acquire(t.Context())
			if err != nil {
				t.Errorf("Acquire: got %v, want a slot", err)
				return
			}
			defer release()
			now := running.Add(1)
			defer running.Add(-1)
			for highest := maximum.Load(); now > highest && !maximum.CompareAndSwap(highest, now); highest = maximum.Load() {
			}
			entered <- struct{}{}
			<-proceed
		})
	}
	for range DefaultSlots {
		<-entered
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := slots.Acquire(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Acquire with an ended context and no free slot: got %v, want %v", err, context.Canceled)
	}
	close(proceed)
	all.Wait()
	if got := maximum.Load(); got != DefaultSlots {
		t.Errorf("concurrent callers: got %d, want %d", got, DefaultSlots)
	}
}
