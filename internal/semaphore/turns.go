package semaphore

import (
	"context"
	"errors"
	"sync"
)

// Turns lets one caller at a time have a key. The others wait in the order of their calls, and not
// for callers with other keys. The zero value is ready.
type Turns struct {
	// MaxWaiting is how many callers may wait for a key beside the one that has it; 0 means no limit.
	MaxWaiting int

	mu   sync.Mutex
	keys map[string]*turn // only keys that somebody has or waits for
}

// turn is the turn of one key.
type turn struct {
	taken   chan struct{}
	callers int // that have the key or wait for it
}

// ErrTooManyWaiting means that Turns.MaxWaiting callers wait for the key already.
var ErrTooManyWaiting = errors.New("too many callers wait for their turn")

// Wait waits for the turn of the caller, and returns the function that ends it. It returns
// ErrTooManyWaiting without waiting, and the error of ctx when ctx ends first.
func (t *Turns) Wait(ctx context.Context, key string) (end func(), err error) {
	own := t.join(key)
	if own == nil {
		return nil, ErrTooManyWaiting
	}
	select {
	case own.taken <- struct{}{}:
		return func() {
			<-own.taken
			t.leave(key, own)
		}, nil
	case <-ctx.Done():
		t.leave(key, own)
		return nil, ctx.Err()
	}
}

// join adds a caller of the key. It returns nil if too many wait for the key.
func (t *Turns) join(key string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.keys[key]
	if own == nil {
		own = &turn{taken: make(chan struct{}, 1)}
		if t.keys == nil {
			t.keys = map[string]*turn{}
		}
		t.keys[key] = own
	}
	if t.MaxWaiting > 0 && own.callers > t.MaxWaiting {
		return nil
	}
	own.callers++
	return own
}

func (t *Turns) leave(key string, own *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own.callers--; own.callers == 0 {
		delete(t.keys, key)
	}
}
