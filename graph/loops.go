package graph

import (
	"context"
	"sync"
)

// loops are the goroutines that read for subscriptions. The zero value is ready.
type loops struct {
	mu      sync.Mutex
	ctx     context.Context //nolint:containedctx // of all loops; nil before the first
	stop    context.CancelFunc
	running sync.WaitGroup
}

// context returns the context of all loops. The caller holds the lock.
func (l *loops) context() context.Context {
	if l.ctx == nil {
		l.ctx, l.stop = context.WithCancel(context.Background())
	}
	return l.ctx
}

// start starts a loop, which returns when its context ends: after a call of stop, or of close. After
// close it starts nothing.
func (l *loops) start(loop func(ctx context.Context)) (stop context.CancelFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx, stop := context.WithCancel(l.context())
	if ctx.Err() == nil {
		l.running.Go(func() { loop(ctx) })
	}
	return stop
}

// close stops all loops, and returns after they have ended.
func (l *loops) close() {
	l.mu.Lock()
	l.context()
	l.stop()
	l.mu.Unlock()
	l.running.Wait()
}
