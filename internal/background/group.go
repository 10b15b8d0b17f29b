// Package background has what the background work of the server shares: groups of goroutines that
// start and stop together, and the signals, pauses and failures of their loops.
package background

import (
	"context"
	"sync"
)

// Group is a set of goroutines that one owner starts and stops, such as the loops of a listener.
// The zero value is ready. A Group must not be copied.
//
// All methods may be called at any time, in any order, any number of times and by any goroutine,
// except that Stop and StopContext wait for the goroutines, so these must not call them. A
// goroutine that its function waits for, or that ends with the context of a request, needs no
// Group.
type Group struct {
	mu      sync.Mutex
	ctx     context.Context //nolint:containedctx // of all goroutines; nil before the first call
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// Go starts a goroutine, and returns a function that ends the context of only this goroutine,
// without waiting for it. started is false, and run is not called, after Cancel, Stop or
// StopContext.
func (g *Group) Go(run func(ctx context.Context)) (cancel context.CancelFunc, started bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	ctx, cancel := context.WithCancel(g.context())
	if ctx.Err() != nil {
		return cancel, false
	}
	// The lock orders running.Go before Cancel, and so before the Wait of Stop.
	g.running.Go(func() {
		defer cancel()
		run(ctx)
	})
	return cancel, true
}

// Cancel ends the contexts of all goroutines without waiting for them. No goroutine starts
// afterwards. It is for an owner that has to do something else before the goroutines can end.
func (g *Group) Cancel() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.context()
	g.cancel()
}

// Stop ends the contexts of all goroutines, and returns after all have ended. No goroutine starts
// afterwards.
func (g *Group) Stop() {
	g.Cancel()
	g.running.Wait()
}

// StopContext is Stop, but it returns the cause of the end of ctx if ctx ends first.
func (g *Group) StopContext(ctx context.Context) error {
	g.Cancel()
	return Wait(ctx, &g.running)
}

// context returns the context of all goroutines. The caller holds the lock.
func (g *Group) context() context.Context {
	if g.ctx == nil {
		g.ctx, g.cancel = context.WithCancel(context.Background())
	}
	return g.ctx
}

// Wait returns when running has become zero, or the cause of the end of ctx if ctx ends first. Then
// a goroutine keeps waiting for running.
func Wait(ctx context.Context, running *sync.WaitGroup) error {
	ended := make(chan struct{})
	go func() {
		running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
