package graph

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// countingFeed is a feed that counts its concurrent reads.
type countingFeed struct {
	reading, maximum atomic.Int64
	entered          chan struct{}
	proceed          chan struct{}
}

func (c *countingFeed) read(context.Context) ([]int, bool, error) {
	now := c.reading.Add(1)
	defer c.reading.Add(-1)
	for maximum := c.maximum.Load(); now > maximum && !c.maximum.CompareAndSwap(maximum, now); maximum = c.maximum.Load() {
	}
	c.entered <- struct{}{}
	<-c.proceed
	return []int{1}, true, nil
}

func (c *countingFeed) delivered(int) bool { return false }

func TestTurned_reads_in_turn(t *testing.T) {
	t.Parallel()
	c := &countingFeed{entered: make(chan struct{}, 3*maxConcurrentReads), proceed: make(chan struct{})}
	var slots readSlots
	var all sync.WaitGroup
	for range 3 * maxConcurrentReads {
		all.Go(func() {
			items, more, err := (&slottedFeed[int]{&slots, c}).read(t.Context())
			if len(items) != 1 || !more || err != nil {
				t.Errorf("read: got %v, %v, %v, want what the feed returns", items, more, err)
			}
		})
	}
	for range maxConcurrentReads {
		<-c.entered
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := (&slottedFeed[int]{&slots, c}).read(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("read of an ended context without a free slot: got %v, want %v", err, context.Canceled)
	}
	close(c.proceed)
	all.Wait()
	if got := c.maximum.Load(); got != maxConcurrentReads {
		t.Errorf("concurrent reads: got %d, want %d", got, maxConcurrentReads)
	}
}
