package graph

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestReadSlots_limit_concurrent_reads(t *testing.T) {
	t.Parallel()
	var slots readSlots
	var reading, maximum atomic.Int64
	entered, proceed := make(chan struct{}, 3*maxConcurrentReads), make(chan struct{})
	var all sync.WaitGroup
	for range 3 * maxConcurrentReads {
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
	for range maxConcurrentReads {
		<-entered
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := slots.acquire(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("acquire with an ended context and no free slot: got %v, want %v", err, context.Canceled)
	}
	close(proceed)
	all.Wait()
	if got := maximum.Load(); got != maxConcurrentReads {
		t.Errorf("concurrent reads: got %d, want %d", got, maxConcurrentReads)
	}
}
