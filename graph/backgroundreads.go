package graph

import (
	"context"
	"sync"
)

// backgroundReads are the goroutines that read for subscriptions. The zero value is ready.
type backgroundReads struct {
	mu      sync.Mutex
	ctx     context.Context //nolint:containedctx // of all goroutines; nil before the first
	stop    context.CancelFunc
	running sync.WaitGroup
}

// context returns the context of all goroutines. The caller holds the lock.
func (b *backgroundReads) context() context.Context {
	if b.ctx == nil {
		b.ctx, b.stop = context.WithCancel(context.Background())
	}
	return b.ctx
}

// start starts a goroutine, which ends when its context ends: after a call of stop, or of close.
// After close it starts nothing.
func (b *backgroundReads) start(read func(ctx context.Context)) (stop context.CancelFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ctx, stop := context.WithCancel(b.context())
	if ctx.Err() == nil {
		b.running.Go(func() { read(ctx) })
	}
	return stop
}

// close stops all goroutines, and returns after they have ended.
func (b *backgroundReads) close() {
	b.mu.Lock()
	b.context()
	b.stop()
	b.mu.Unlock()
	b.running.Wait()
}
