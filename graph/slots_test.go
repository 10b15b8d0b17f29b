package graph

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestSlots_limit_concurrent_reads(t *testing.T) {
	t.Parallel()
	var slots slots
	var reading, maximum atomic.Int64
	entered, proceed := make(chan struct{}, 3*slotCount), make(chan struct{})
	var all sync.WaitGroup
	for range 3 * slotCount {
		all.Go(func() {
			release, err := slots.acquire(t.Context())
			if err != nil {
				t.Errorf("acquire: got %v, want a slot", err)
				return
			}
			defer release()
			now := reading.Add(1)
			defer reading.Add(-1)
			for highest := maximum.Load(); now > highest && !maximum.CompareAndSwap(highest, now); highest = maximum.Load() {
			}
			entered <- struct{}{}
			<-proceed
		})
	}
	for range slotCount {
		<-entered
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := slots.acquire(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("acquire with an ended context and no free slot: got %v, want %v", err, context.Canceled)
	}
	close(proceed)
	all.Wait()
	if got := maximum.Load(); got != slotCount {
		t.Errorf("concurrent reads: got %d, want %d", got, slotCount)
	}
}
