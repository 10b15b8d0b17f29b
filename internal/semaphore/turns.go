package semaphore

import (
	"context"
	"sync"
)

// Turns lets one caller at a time have a key. The others wait in the order of their calls, and not
// for callers with other keys. The zero value is ready.
type Turns struct {
	mu   sync.Mutex
	keys map[string]*turn // only keys that somebody has or waits for
}

// turn is the turn of one key.
type turn struct {
	taken   chan struct{}
	callers int // that have the key or wait for it
}

// Wait waits for the turn of the caller, and returns the function that ends it. It returns an error
// when ctx ends first.
func (t *Turns) Wait(ctx context.Context, key string) (end func(), err error) {
	own := t.join(key)
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
