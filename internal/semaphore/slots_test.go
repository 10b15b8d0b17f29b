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
	for _, test := range []struct {
		name  string
		slots *Slots
		want  int
	}{{"by default", &Slots{}, DefaultSlots}, {"with a number", &Slots{Max: 2}, 2}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkLimit(t, test.slots, test.want)
		})
	}
}

// checkLimit checks that want callers, and no more, have a slot at the same time.
func checkLimit(t *testing.T, slots *Slots, want int) {
	t.Helper()
	var running, maximum atomic.Int64
	entered, proceed := make(chan struct{}, 3*want), make(chan struct{})
	var all sync.WaitGroup
	for range 3 * want {
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
	for range want {
		<-entered
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := slots.Acquire(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Acquire with an ended context and no free slot: got %v, want %v", err, context.Canceled)
	}
	close(proceed)
	all.Wait()
	if got := maximum.Load(); got != int64(want) {
		t.Errorf("concurrent callers: got %d, want %d", got, want)
	}
}
