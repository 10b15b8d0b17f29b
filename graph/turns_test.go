package graph

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// crowded is a feed that counts who reads it at a time.
type crowded struct {
	reading, most atomic.Int64
	entered       chan struct{}
	proceed       chan struct{}
}

func (c *crowded) read(context.Context) ([]int, bool, error) {
	now := c.reading.Add(1)
	defer c.reading.Add(-1)
	for most := c.most.Load(); now > most && !c.most.CompareAndSwap(most, now); most = c.most.Load() {
	}
	c.entered <- struct{}{}
	<-c.proceed
	return []int{1}, true, nil
}

func (c *crowded) delivered(int) bool { return false }

func TestTurned_reads_in_turn(t *testing.T) {
	t.Parallel()
	c := &crowded{entered: make(chan struct{}, 3*readers), proceed: make(chan struct{})}
	var turns turns
	var all sync.WaitGroup
	for range 3 * readers {
		all.Go(func() {
			items, more, err := (&turned[int]{&turns, c}).read(t.Context())
			if len(items) != 1 || !more || err != nil {
				t.Errorf("read: got %v, %v, %v, want what the feed returns", items, more, err)
			}
		})
	}
	for range readers {
		<-c.entered
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := (&turned[int]{&turns, c}).read(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("read by one that has ended, out of turn: got %v, want %v", err, context.Canceled)
	}
	close(c.proceed)
	all.Wait()
	if got := c.most.Load(); got != readers {
		t.Errorf("at a time: got %d, want %d", got, readers)
	}
}
